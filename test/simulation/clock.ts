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
  const clock: Clock = {
    now: () => EPOCH_MS + world.nowMs() + skew.wallMs,
    monotonic: () => world.nowMs() - skew.monotonicLostMs,
    sleep,
    within: async (ms, signal, pending) => {
      if (signal?.aborted) throw reasonOf(signal);
      const over = new AbortController();
      const cut = new Promise<never>((_, reject) => {
        signal?.addEventListener("abort", () => reject(reasonOf(signal)), {
          once: true,
          signal: over.signal,
        });
        sleep(ms, over.signal).then(
          () => reject(new DeadlineError(ms)),
          () => undefined,
        );
      });
      try {
        return await Promise.race([pending, cut]);
      } finally {
        over.abort(new Error("over"));
      }
    },
    withDeadline: async (ms, signal, work) => {
      if (signal?.aborted) throw reasonOf(signal);
      const inner = new AbortController();
      try {
        return await clock.within(ms, signal, work(inner.signal));
      } catch (error) {
        inner.abort(error);
        throw error;
      }
    },
  };
  return clock;
};
