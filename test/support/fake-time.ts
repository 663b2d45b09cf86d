import { performance } from "node:perf_hooks";
import { onTestFinished, vi } from "vitest";

/** Fakes timers and dates until the test ends; the monotonic clock goes on by itself, and jumps with the dates. */
export const fakeTime = (...[options]: Parameters<typeof vi.useFakeTimers>): void => {
  vi.useFakeTimers(options);
  const startMs = Date.now();
  const real = performance.now.bind(performance);
  const monotonic = vi.spyOn(performance, "now").mockImplementation(() => real() + Date.now() - startMs);
  onTestFinished(() => {
    monotonic.mockRestore();
    vi.useRealTimers();
  });
};
