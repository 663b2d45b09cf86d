import { performance } from "node:perf_hooks";

/** Time as a parameter: everything that waits or measures takes one of these. All durations are milliseconds. */
export type Clock = {
  /** Wall-clock time in milliseconds since the Unix epoch. May jump. */
  now: () => number;
  /** Milliseconds since an arbitrary start. Never jumps back, but may stand still while a virtual machine is paused. */
  monotonic: () => number;
  /** Resolves after `ms`, or rejects with the signal's reason when it aborts first. */
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /**
   * Runs `work` with a signal that aborts when `signal` does, or with a {@link DeadlineError} after `ms`; rejects at that
   * moment, whether or not `work` heeds its signal. Leaves neither timer nor listener behind.
   */
  withDeadline<T>(
    ms: number,
    signal: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T>;
};

/** A wait took longer than it was allowed to. */
export class DeadlineError extends Error {
  override readonly name = "DeadlineError";
  constructor(readonly afterMs: number) {
    super(`no answer within ${afterMs} ms`);
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
      const wake = () => {
        signal?.removeEventListener("abort", stop);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      const stop = () => {
        clearTimeout(timer);
        reject(signal ? reasonOf(signal) : new Error("aborted"));
      };
      signal?.addEventListener("abort", stop, { once: true });
    }),

  withDeadline: async (ms, signal, work) => {
    if (signal?.aborted) throw reasonOf(signal);
    const inner = new AbortController();
    let onAbort: (() => void) | undefined;
    let timer: NodeJS.Timeout | undefined;
    const cut = new Promise<never>((_, reject) => {
      const stop = (reason: Error) => {
        reject(reason);
        inner.abort(reason);
      };
      timer = setTimeout(() => stop(new DeadlineError(ms)), ms);
      if (signal) {
        onAbort = () => stop(reasonOf(signal));
        signal.addEventListener("abort", onAbort, { once: true });
      }
    });
    try {
      return await Promise.race([work(inner.signal), cut]);
    } finally {
      clearTimeout(timer);
      if (onAbort) signal?.removeEventListener("abort", onAbort);
    }
  },
};
