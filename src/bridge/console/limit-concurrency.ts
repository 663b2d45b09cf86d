import { UsageError } from "../../runtime/errors.ts";

export type SomeAtOnce = <T>(signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

/**
 * Runs a few works at once; the next ones wait for their turn, and whoever's signal is aborted waits no longer. Throws a UsageError, and nothing
 * is run, while `maxWaiting` are waiting already.
 */
export const someAtOnce = (maxRunning = 4, maxWaiting = 20): SomeAtOnce => {
  let running = 0;
  const waiting = new Set<() => void>();

  const turn = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const leave = (): void => {
        waiting.delete(go);
        signal.removeEventListener("abort", stop);
      };
      const go = (): void => {
        leave();
        resolve();
      };
      const stop = (): void => {
        leave();
        reject(signal.reason as Error);
      };
      waiting.add(go);
      signal.addEventListener("abort", stop, { once: true });
    });

  return async (signal, work) => {
    signal.throwIfAborted();
    if (running < maxRunning) running += 1;
    else if (waiting.size < maxWaiting) await turn(signal);
    else throw new UsageError("Too much is being read for others at this moment.");
    try {
      return await work();
    } finally {
      // Whoever is next takes this place.
      const [next] = waiting;
      if (next) next();
      else running -= 1;
    }
  };
};
