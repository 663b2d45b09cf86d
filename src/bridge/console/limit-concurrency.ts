import { UsageError } from "../../runtime/errors.ts";
import { wakeOrAbort } from "../../runtime/wake-or-abort.ts";

export type ConcurrencyLimit = <T>(signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

/**
 * Runs at most `maxRunning` tasks at once; others wait until a place is free or their signal aborts. Throws a
 * UsageError, and runs nothing, while `maxWaiting` are waiting already.
 */
export const limitConcurrency = (maxRunning = 4, maxWaiting = 20): ConcurrencyLimit => {
  let running = 0;
  const waiting = new Set<() => void>();

  const turn = (signal: AbortSignal): Promise<void> =>
    wakeOrAbort(signal, (wake) => {
      waiting.add(wake);
      return () => waiting.delete(wake);
    });

  return async (signal, work) => {
    signal.throwIfAborted();
    if (running < maxRunning) running += 1;
    else if (waiting.size < maxWaiting) await turn(signal);
    else throw new UsageError("Too many pages are being read at this moment.");
    try {
      return await work();
    } finally {
      // Hands its place to the next one.
      const [next] = waiting;
      if (next) {
        waiting.delete(next);
        next();
      } else running -= 1;
    }
  };
};
