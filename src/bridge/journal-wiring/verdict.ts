import type { Dropped } from "../../kafka/cluster/log-identity.ts";
import type { Services } from "../services.ts";

/**
 * What is known against the journal, and whether its view is trusted for it: only where nothing is. What is said of it is a sentence's
 * end: "ends before ...".
 */
export type Verdict = {
  /** The journal is not the log that it was. For good. */
  lose: (what: string) => void;
  /** What one look found missing at the journal's end, null where nothing is. Not for good: a new leader may hold back its last records. */
  sawEnd: (behind: string | null) => void;
  /** An entry is gone from the journal's beginning: nothing is trusted until it is known whether by right. */
  judge: (dropped: Dropped) => Promise<void>;
  /** Whether an entry is being judged. */
  isAsking: () => boolean;
  isLost: () => boolean;
  /** No entry that is younger than this is gone by right, as far as is known now. */
  horizonMs: () => number;
  /** What is wrong with the journal; null while nothing is. */
  fault: () => string | null;
};

type Options = {
  topic: string;
  trust: (yes: boolean) => void;
  /** How long the topic is kept: negative for ever, null where nobody may know. Bounded in time. */
  retentionMs: () => Promise<number | null>;
};

/** A broker that was just woken may tell an end of the past for an instant. */
const MISSING_LOOKS = 3;
/** A quote lives for one business day: what is older is not worth stopping for. */
const HORIZON_MS = 86_400_000;
/** A retention below this, of a topic that is kept for weeks, is a way of emptying it. */
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

  /** Only a retention that is known now may explain what is gone: it can have been changed, or could not be asked before. */
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
