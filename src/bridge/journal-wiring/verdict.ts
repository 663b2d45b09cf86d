import type { Dropped } from "../../kafka/cluster/log-identity.ts";
import type { Services } from "../services.ts";

/**
 * Whether the journal is still the log that was read, and so whether its view is trusted. Findings are the end of a sentence, such as
 * "ends before ...".
 */
export type Verdict = {
  /** The journal is another log. This is final. */
  lose: (what: string) => void;
  /** What one check found missing at the journal's end; null if nothing. Not final: a new leader may hold back its last records. */
  sawEnd: (behind: string | null) => void;
  /** An entry is gone from the journal's beginning: the view is not trusted until it is known whether retention deleted it. */
  judge: (dropped: Dropped) => Promise<void>;
  /** Whether `judge` is under way. */
  isAsking: () => boolean;
  isLost: () => boolean;
  /** Retention deletes no entry that is younger than this, as far as is known now. */
  horizonMs: () => number;
  /** What is wrong with the journal; null while nothing is. */
  fault: () => string | null;
};

type Options = {
  topic: string;
  trust: (yes: boolean) => void;
  /** The topic's retention: negative for ever, null if it may not be asked for. Bounded in time. */
  retentionMs: () => Promise<number | null>;
};

/** A broker that was frozen may report its old end for a moment. */
const MISSING_LOOKS = 3;
/** A quote lives for one business day: the loss of older entries does no harm. */
const HORIZON_MS = 86_400_000;
/** A shorter retention, on a topic that is kept for weeks, is a way to empty it. */
const PURGE_MS = 3_600_000;
const RETENTION_TRIES = 3;
const AGAIN_AFTER_MS = 1_000;
const ADVICE = 'nothing is begun without it, see "The journal is lost" in docs/failures.md';

export const createVerdict = (options: Options, { clock, log }: Pick<Services, "clock" | "log">): Verdict => {
  const { topic, trust } = options;
  let horizonMs = HORIZON_MS;
  let lost: string | null = null;
  let missing: string | null = null;
  let looksMissing = 0;
  let asking = false;

  const trustAsFound = (): void => trust(lost === null && missing === null && !asking);

  const lose = (what: string): void => {
    if (lost === null) {
      lost = `${topic} ${what}: ${ADVICE}`;
      log.error({ topic, detail: lost }, "journal.lost");
    }
    trustAsFound();
  };

  /** Asks again each time: the retention may have been changed, or could not be asked for before. */
  const askRetentionMs = async (): Promise<number | null> => {
    for (let tries = 1; ; tries += 1) {
      const retentionMs = await options.retentionMs().catch(() => null);
      if (retentionMs !== null || tries === RETENTION_TRIES) return retentionMs;
      await clock.sleep(AGAIN_AFTER_MS);
    }
  };

  return {
    lose,
    sawEnd: (behind) => {
      looksMissing = behind === null ? 0 : looksMissing + 1;
      if (behind === null) {
        if (missing !== null) log.info({ topic }, "journal.found");
        missing = null;
      } else if (missing === null && looksMissing >= MISSING_LOOKS) {
        missing = `${topic} ${behind}: ${ADVICE}`;
        log.error({ topic, detail: missing }, "journal.missing");
      }
      trustAsFound();
    },
    judge: async ({ partition, offset, ageMs }) => {
      asking = true;
      trustAsFound();
      const retentionMs = await askRetentionMs();
      const keptMs = retentionMs === null || retentionMs < 0 ? Infinity : retentionMs;
      horizonMs = keptMs < PURGE_MS ? HORIZON_MS : Math.min(HORIZON_MS, keptMs / 2);
      if (ageMs < horizonMs) {
        const gone = `has dropped offset ${offset} of partition ${partition}, which was ${Math.round(ageMs / 1_000)} s old`;
        const kept = retentionMs === null ? "cannot be asked for" : `is ${retentionMs} ms`;
        lose(`${gone} (its retention ${kept})`);
      }
      asking = false;
      trustAsFound();
    },
    isAsking: () => asking,
    isLost: () => lost !== null,
    horizonMs: () => horizonMs,
    fault: () => lost ?? missing,
  };
};
