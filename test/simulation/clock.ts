import type { Clock } from "../../src/runtime/clock.ts";
import type { SimulatedProcess, Simulator } from "./simulator.ts";

export const EPOCH_MS = Date.UTC(2026, 10, 20, 12);

/** How far a process's clocks differ from virtual time. */
export type Skew = { wallMs: number; monotonicLostMs: number };

const reasonOf = (signal: AbortSignal): Error => signal.reason as Error;

const unused = (): never => {
  throw new Error("the code under test sleeps, and has no other waits");
};

/** The clock of a process. */
export const createClock = (simulator: Simulator, process: SimulatedProcess, skew: Skew): Clock => ({
  now: () => EPOCH_MS + simulator.nowMs() + skew.wallMs,
  monotonic: () => simulator.nowMs() - skew.monotonicLostMs,
  sleep: (ms, signal) =>
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
    }),
  after: (ms, act) => {
    let isDue = true;
    simulator.after(Math.max(ms, 0), process, () => {
      if (isDue) act();
    });
    return () => {
      isDue = false;
    };
  },
  within: unused,
  withDeadline: unused,
});
