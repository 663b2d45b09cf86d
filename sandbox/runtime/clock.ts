import { performance } from "node:perf_hooks";

/** The partner's clock. Tests use a manual one. */
export type SandboxClock = {
  now(): number;
  /** Runs `run` once after `delayMs`; the returned function cancels it. */
  after(delayMs: number, run: () => void): () => void;
};

/**
 * A clock that starts at `startAt` and runs at real speed, unaffected by changes of the system clock. The
 * time scale does not speed it up: that divides durations, so that dates and the same-day rule stay real.
 */
export const runningClock = (startAt: number): SandboxClock => {
  const offset = startAt - performance.now();
  return {
    now: () => Math.round(offset + performance.now()),
    after: (delayMs, run) => {
      const timer = setTimeout(run, delayMs);
      return () => clearTimeout(timer);
    },
  };
};

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
