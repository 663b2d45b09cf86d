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
