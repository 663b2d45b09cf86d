import { wakeOrAbort } from "../../runtime/wake-or-abort.ts";

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
