import type { Clock } from "./clock.ts";

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
