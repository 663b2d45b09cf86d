import { performance } from "node:perf_hooks";
import { onAbort } from "./on-abort.ts";

/**
 * Time as a parameter: everything that waits or measures takes one of these. All durations are milliseconds.
 */
export type Clock = {
  /** Wall-clock time in milliseconds since the Unix epoch. May jump. */
  now: () => number;
  /**
   * Milliseconds since an arbitrary start. Never jumps back, but may stand still while a virtual machine is
   * paused.
   */
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
   * Costs more than `within`. (`AbortSignal.any` with `AbortSignal.timeout` is no replacement: it leaks until
   * the timeout, even when `work` ends earlier.)
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

const reasonOf = (signal: AbortSignal): Error =>
  signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason));

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),

  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(reasonOf(signal));
        return;
      }
      let forget = (): void => undefined;
      const wake = () => {
        forget();
        resolve();
      };
      const timer = setTimeout(wake, ms);
      const stop = () => {
        clearTimeout(timer);
        reject(signal ? reasonOf(signal) : new Error("aborted"));
      };
      if (signal) forget = onAbort(signal, stop);
    }),

  within: (ms, signal, pending) =>
    new Promise((resolve, reject) => {
      const stop = (reason: Error): void => {
        leave();
        reject(reason);
      };
      const aborted = (): void => {
        if (signal) stop(reasonOf(signal));
      };
      const timer = setTimeout(() => stop(new DeadlineError(ms)), ms);
      let forget = (): void => undefined;
      const leave = (): void => {
        clearTimeout(timer);
        forget();
      };
      if (signal?.aborted) aborted();
      else if (signal) forget = onAbort(signal, aborted);
      void pending.then(leave, leave);
      pending.then(resolve, reject);
    }),

  withDeadline: async (ms, signal, work) => {
    if (signal?.aborted) throw reasonOf(signal);
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
