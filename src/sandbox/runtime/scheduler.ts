import type { SandboxClock } from "./clock.ts";

// Node's timers overflow above 2^31 ms: a longer wait is divided into hours.
const longestWaitMs = 3_600_000;

/** Runs tasks at their instants; ends them all together. */
export const createScheduler = (clock: SandboxClock) => {
  const waiting = new Set<() => void>();
  let closed = false;

  const clear = () => {
    for (const cancel of waiting) cancel();
    waiting.clear();
  };

  const at = (dueAt: number, run: () => void): void => {
    if (closed) return;
    const cancel = clock.after(Math.min(Math.max(0, dueAt - clock.now()), longestWaitMs), () => {
      waiting.delete(cancel);
      if (dueAt > clock.now()) at(dueAt, run);
      else run();
    });
    waiting.add(cancel);
  };

  return {
    /** Runs `run` at `dueAt`, or soon when that has passed. */
    at,
    /** Removes all tasks. */
    clear,
    /** Removes all tasks, and ignores new ones. */
    close: () => {
      closed = true;
      clear();
    },
  };
};

export type Scheduler = ReturnType<typeof createScheduler>;

/** Uniformly distributed around `meanMs`, by up to a fifth to either side. */
export const jittered = (meanMs: number): number => meanMs * (1 + 0.2 * (2 * Math.random() - 1));
