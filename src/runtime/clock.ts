import { reasonOfAbort, wakeOrAbort } from "./abort.ts";

/** Time as a parameter: everything that waits or measures takes one of these. All durations are milliseconds. */
export type Clock = {
  /** Wall-clock time in milliseconds since the Unix epoch. May jump. */
  now: () => number;
  /** Milliseconds since an arbitrary start. Never jumps back, but may stand still while a virtual machine is paused. */
  monotonic: () => number;
  /** Resolves after `ms`, or rejects with the signal's reason when it aborts first. */
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Calls `act` after `ms`, and returns how to prevent that. It costs far less than a sleep that is aborted. */
  after: (ms: number, act: () => void) => () => void;
  /** Rejects with a {@link DeadlineError} after `ms`, or when the signal aborts. Does not cancel `pending`. */
  within<T>(ms: number, signal: AbortSignal | undefined, pending: Promise<T>): Promise<T>;
  /** Aborts the signal of `work` and rejects after `ms`, or when `signal` aborts, whether or not `work` obeys. */
  withDeadline<T>(
    ms: number,
    signal: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T>;
};

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

  after: (ms, act) => {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },

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

export type Stopwatch = () => number;

/** Wall-clock time may jump back, monotonic time may stand still: either alone could make an old claim look young. */
export const startStopwatch = (clock: Pick<Clock, "now" | "monotonic">): Stopwatch => {
  const wall = clock.now();
  const monotonic = clock.monotonic();
  return () => Math.max(clock.now() - wall, clock.monotonic() - monotonic, 0);
};
