import { backoffMs } from "../../../runtime/backoff.ts";
import type { Clock } from "../../../runtime/clock.ts";
import { messageOf } from "../../../runtime/errors.ts";

type Deps = { clock: Clock; random: () => number; closed: AbortSignal; changed: () => void };

const ANSWER_MS = 30_000;
const AGAIN_AFTER_MS = 1_000;
const BACKOFF = { baseMs: 1_000, maxMs: 4_000 };

/** Holds the tail of the journal while the schema of its next record is fetched from the registry. */
export const createSchemaWait = ({ clock, random, closed, changed }: Deps) => {
  const problems = new Map<number, string>();
  let failures = 0;
  let waiting: Promise<void> = Promise.resolve();

  const failed = async (partition: number, error: unknown): Promise<void> => {
    if (closed.aborted) return;
    problems.set(partition, messageOf(error));
    changed();
    const waitMs = AGAIN_AFTER_MS + backoffMs(BACKOFF, failures++, random());
    await clock.sleep(waitMs, closed).catch(() => undefined);
  };

  return {
    /** The schema of this partition's next record is being fetched. */
    waitFor: (partition: number, reading: Promise<unknown>): void => {
      waiting = clock.within(ANSWER_MS, closed, reading).then(
        () => undefined,
        (error: unknown) => failed(partition, error),
      );
    },
    /** Resolves when the tail may try again. */
    untilRetry: (): Promise<void> => waiting,
    clear: (partition: number): void => {
      problems.delete(partition);
      failures = 0;
    },
    reset: (): void => problems.clear(),
    problem: (): string | null => {
      const [problem] = problems.values();
      return problem === undefined ? null : `A record of the journal cannot be read now: ${problem}.`;
    },
  };
};
