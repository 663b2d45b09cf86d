import type { Clock } from "../../runtime/clock.ts";
import { messageOf } from "../../runtime/errors.ts";
import type { Log } from "../../runtime/log.ts";

type Deps = {
  clock: Pick<Clock, "monotonic" | "sleep">;
  log: Pick<Log, "debug" | "warn">;
  signal: AbortSignal;
};

const COMMIT_EVERY_MS = 100;
/** A rebalance is over by then. */
const REFUSED_FOR_MS = 60_000;

/**
 * Commits whatever is due, again and again, and once more after `signal` aborts. A refusal is nothing by itself; a group that refuses for
 * longer than a rebalance takes is told once, until it has taken a commit.
 */
export const keepCommitting = async (
  commit: () => Promise<void>,
  { clock, log, signal }: Deps,
): Promise<void> => {
  let refusedSince: number | null = null;
  let warned = false;
  let isLast = false;
  while (!isLast) {
    await clock.sleep(COMMIT_EVERY_MS, signal).catch(() => undefined);
    // Not asked afterwards: a commit that was under way at the end knows nothing of what finished meanwhile.
    isLast = signal.aborted;
    try {
      await commit();
      refusedSince = null;
      warned = false;
    } catch (error) {
      // Kafka had its chance: the end does not wait for another.
      isLast = signal.aborted;
      // Refused during a rebalance: tried again with the next round, under the assignment of then.
      const refusedForMs = Math.round(clock.monotonic() - (refusedSince ??= clock.monotonic()));
      const fields = { reason: messageOf(error), refusedForMs };
      if (warned || refusedForMs < REFUSED_FOR_MS) log.debug(fields, "kafka.commit.refused");
      else {
        warned = true;
        log.warn(fields, "kafka.commit.refused");
      }
    }
  }
};
