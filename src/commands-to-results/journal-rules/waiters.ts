/**
 * Resolves when `wake` is called; rejects with the signal's reason if that aborts first. Leaves no listener
 * behind.
 * @param register stores `wake`, and returns how to remove it
 */
const wakeOrAbort = (signal: AbortSignal, register: (wake: () => void) => () => void): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = () => {
      release();
      reject(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)));
    };
    const release = register(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    });
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });

/** Wait by name until somebody wakes that name. */
export type Waiters<Name> = {
  wait(name: Name, signal: AbortSignal): Promise<void>;
  wake(name: Name): void;
  wakeIf(condition: (name: Name) => boolean): void;
};

export const createWaiters = <Name>(): Waiters<Name> => {
  const waiting = new Map<Name, Set<() => void>>();
  const wake = (name: Name): void => {
    if (waiting.size === 0) return;
    const wakes = waiting.get(name);
    if (!wakes) return;
    waiting.delete(name);
    for (const each of wakes) each();
  };
  return {
    wait: (name, signal) =>
      wakeOrAbort(signal, (waker) => {
        const wakes = waiting.get(name) ?? new Set();
        waiting.set(name, wakes.add(waker));
        return () => {
          wakes.delete(waker);
          if (wakes.size === 0 && waiting.get(name) === wakes) waiting.delete(name);
        };
      }),
    wake,
    wakeIf: (condition) => {
      if (waiting.size === 0) return;
      for (const name of [...waiting.keys()]) if (condition(name)) wake(name);
    },
  };
};
