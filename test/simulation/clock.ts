import type { Clock } from "../../src/runtime/clock.ts";
import type { Subject } from "./subject.ts";
import type { Process, World } from "./world.ts";

export const EPOCH_MS = Date.UTC(2026, 10, 20, 12);

/** How far a process's clocks are from the truth. */
export type Skew = { wallMs: number; monotonicLostMs: number };

const reasonOf = (signal: AbortSignal): Error => signal.reason as Error;

/** The clock that a process sees. */
export const createClock = (
  world: World,
  process: Process,
  skew: Skew,
  { DeadlineError }: Pick<Subject, "DeadlineError">,
): Clock => {
  const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(reasonOf(signal));
        return;
      }
      const stop = () => reject(reasonOf(signal!));
      signal?.addEventListener("abort", stop, { once: true });
      world.after(Math.max(ms, 0), process, () => {
        signal?.removeEventListener("abort", stop);
        resolve();
      });
    });
  return {
    now: () => EPOCH_MS + world.nowMs() + skew.wallMs,
    monotonic: () => world.nowMs() - skew.monotonicLostMs,
    sleep,
    withDeadline: async (ms, signal, work) => {
      if (signal?.aborted) throw reasonOf(signal);
      const inner = new AbortController();
      const over = new AbortController();
      const onAbort = () => inner.abort(signal!.reason);
      signal?.addEventListener("abort", onAbort, { once: true });
      sleep(ms, over.signal).then(
        () => inner.abort(new DeadlineError(ms)),
        () => undefined,
      );
      const cut = new Promise<never>((_, reject) =>
        inner.signal.addEventListener("abort", () => reject(reasonOf(inner.signal)), { once: true }),
      );
      try {
        return await Promise.race([work(inner.signal), cut]);
      } finally {
        over.abort(new Error("over"));
        signal?.removeEventListener("abort", onAbort);
      }
    },
  };
};
