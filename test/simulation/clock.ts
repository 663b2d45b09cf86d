import type { Clock } from "../../src/runtime/clock.ts";
import type { CodeUnderTest } from "./code-under-test.ts";
import type { SimulatedProcess, Simulator } from "./simulator.ts";

export const EPOCH_MS = Date.UTC(2026, 10, 20, 12);

/** How far a process's clocks differ from virtual time. */
export type Skew = { wallMs: number; monotonicLostMs: number };

const reasonOf = (signal: AbortSignal): Error => signal.reason as Error;

/** The clock of a process. */
export const createClock = (
  simulator: Simulator,
  process: SimulatedProcess,
  skew: Skew,
  { DeadlineError }: Pick<CodeUnderTest, "DeadlineError">,
): Clock => {
  const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(reasonOf(signal));
        return;
      }
      const stop = () => reject(reasonOf(signal!));
      signal?.addEventListener("abort", stop, { once: true });
      simulator.after(Math.max(ms, 0), process, () => {
        signal?.removeEventListener("abort", stop);
        resolve();
      });
    });
  const clock: Clock = {
    now: () => EPOCH_MS + simulator.nowMs() + skew.wallMs,
    monotonic: () => simulator.nowMs() - skew.monotonicLostMs,
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
