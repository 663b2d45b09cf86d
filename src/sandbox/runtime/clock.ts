import { performance } from "node:perf_hooks";

/** The partner's clock: a wall clock, and one way to wait on it. Tests put a clock of their own here. */
export type SandboxClock = {
  now(): number;
  /** Runs `run` once after `delayMs`; the returned function cancels it. */
  after(delayMs: number, run: () => void): () => void;
};

/**
 * A clock that begins at `startAt` and runs at real speed, without ever jumping. The time scale does not speed it up:
 * it divides durations, so that dates and the business day stay those of real life.
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
