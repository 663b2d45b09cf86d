import type { Services } from "../../../services/services.ts";

/**
 * Whether the journal is still the log that was read, and so whether its view is trusted. Findings are the end of a
 * sentence, such as "ends before ...".
 */
export type Trust = {
  /** The journal is another log. This is final. */
  lose: (what: string) => void;
  /**
   * What one check found missing at the journal's end; null if nothing. Not final: a new leader may hold back its
   * last records.
   */
  sawEnd: (behind: string | null) => void;
  isLost: () => boolean;
  /** What is wrong with the journal; null while nothing is. */
  fault: () => string | null;
};

type Options = {
  topic: string;
  trust: (yes: boolean) => void;
};

/** A broker that was frozen may report its old end for a moment. */
const MISSING_LOOKS = 3;
const ADVICE = 'nothing is begun without it, see "The journal is lost" in docs/failures.md';

export const createTrust = ({ topic, trust }: Options, { log }: Pick<Services, "log">): Trust => {
  let lost: string | null = null;
  let missing: string | null = null;
  let looksMissing = 0;

  const trustAsFound = (): void => trust(lost === null && missing === null);

  const lose = (what: string): void => {
    if (lost === null) {
      lost = `${topic} ${what}: ${ADVICE}`;
      log.error({ topic, detail: lost }, "journal.lost");
    }
    trustAsFound();
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
    isLost: () => lost !== null,
    fault: () => lost ?? missing,
  };
};
