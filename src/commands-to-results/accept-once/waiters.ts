import { wakeOrAbort } from "../../runtime/abort.ts";

export type Waiters<Name> = ReturnType<typeof createWaiters<Name>>;

/** Wait by name until somebody wakes that name. */
export const createWaiters = <Name>() => {
  const waiting = new Map<Name, Set<() => void>>();
  const wake = (name: Name): void => {
    const wakes = waiting.get(name);
    if (!wakes) return;
    waiting.delete(name);
    for (const each of wakes) each();
  };
  return {
    wait: (name: Name, signal: AbortSignal): Promise<void> =>
      wakeOrAbort(signal, (waker) => {
        const wakes = waiting.get(name) ?? new Set();
        waiting.set(name, wakes.add(waker));
        return () => {
          wakes.delete(waker);
          if (wakes.size === 0 && waiting.get(name) === wakes) waiting.delete(name);
        };
      }),
    wake,
    wakeIf: (condition: (name: Name) => boolean): void => {
      for (const name of [...waiting.keys()]) if (condition(name)) wake(name);
    },
  };
};
