import type { Clock } from "../../runtime/clock.ts";
import { messageOf } from "../../runtime/errors.ts";
import type { Log } from "../../runtime/log.ts";

type Deps = { clock: Clock; log: Log; signal: AbortSignal };

const COMMIT_EVERY_MS = 100;
/** After this, refused commits are a warning. It is longer than a rebalance takes. */
const REFUSED_FOR_MS = 60_000;

/** Commits periodically, and once more after the abort. Single refusals are normal, during a rebalance. */
export const keepCommitting = async (commit: () => Promise<void>, { clock, log, signal }: Deps) => {
  let acceptedAt = clock.monotonic();
  let isWarned = false;
  let isLast = false;
  while (!isLast) {
    await clock.sleep(COMMIT_EVERY_MS, signal).catch(() => undefined);
    // Read before the commit: one that was under way at the abort lacks what finished meanwhile, so one more follows.
    isLast = signal.aborted;
    try {
      await commit();
      acceptedAt = clock.monotonic();
      isWarned = false;
    } catch (error) {
      isLast = signal.aborted;
      const refusedForMs = Math.round(clock.monotonic() - acceptedAt);
      const isLong: boolean = refusedForMs >= REFUSED_FOR_MS && !isWarned;
      const refusal = { reason: messageOf(error), refusedForMs };
      if (isLong) log.warn(refusal, "kafka.commit.refused");
      else log.debug(refusal, "kafka.commit.refused");
      isWarned ||= isLong;
    }
  }
};
