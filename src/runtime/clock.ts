import { reasonOfAbort, wakeOrAbort } from "./abort.ts";

/** Time as a parameter: everything that waits or measures takes one of these. All durations are milliseconds. */
export type Clock = {
  /** Wall-clock time in milliseconds since the Unix epoch. May jump. */
  now: () => number;
  /** Milliseconds since an arbitrary start. Never jumps back, but may stand still while a virtual machine is paused. */
  monotonic: () => number;
  /** Resolves after `ms`, or rejects with the signal's reason when it aborts first. */
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /**
   * Waits for `pending` for at most `ms`. Rejects with a {@link DeadlineError} after that, or with the
   * signal's reason when it aborts. Does not cancel `pending`. Leaves neither timer nor listener behind.
   */
  within<T>(ms: number, signal: AbortSignal | undefined, pending: Promise<T>): Promise<T>;
  /**
   * Runs `work` with a signal that aborts when `signal` does, or with a {@link DeadlineError} after `ms`.
   * Rejects at that moment, whether or not `work` obeys its signal. Leaves neither timer nor listener behind.
   * (`AbortSignal.any` with `AbortSignal.timeout` leaks until the timeout, even when `work` ends earlier.)
   */
  withDeadline<T>(
    ms: number,
    signal: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T>;
};

/** A wait exceeded its deadline. */
export class DeadlineError extends Error {
  override readonly name = "DeadlineError";
  constructor(afterMs: number) {
    super(`no answer within ${Math.round(afterMs)} ms`);
  }
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),

  sleep: (ms, signal) =>
    wakeOrAbort(signal, (wake) => {
      const timer = setTimeout(wake, ms);
      return () => clearTimeout(timer);
    }),

  within: (ms, signal, pending) =>
    wakeOrAbort(signal, (wake, fail) => {
      const timer = setTimeout(() => fail(new DeadlineError(ms)), ms);
      pending.then(wake, fail);
      return () => clearTimeout(timer);
    }),

  withDeadline: async (ms, signal, work) => {
    if (signal?.aborted) throw reasonOfAbort(signal);
    const inner = new AbortController();
    try {
      return await systemClock.within(ms, signal, work(inner.signal));
    } catch (error) {
      inner.abort(error);
      throw error;
    }
  },
};

/** Milliseconds since the start. */
export type Stopwatch = () => number;

/**
 * Takes the larger of wall-clock and monotonic time. The first may jump back, and the second may stand still
 * while a virtual machine is paused: either one alone could make an old claim look young.
 */
export const startStopwatch = (clock: Pick<Clock, "now" | "monotonic">): Stopwatch => {
  const wall = clock.now();
  const monotonic = clock.monotonic();
  return () => Math.max(clock.now() - wall, clock.monotonic() - monotonic, 0);
};
