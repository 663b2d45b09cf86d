import type { Clock } from "./clock.ts";

/** Milliseconds since the stopwatch was started. */
export type Stopwatch = () => number;

/**
 * Takes the larger of wall-clock and monotonic time: the first may jump back, the second may stand still while a virtual machine is paused.
 * Either mistake alone would make an old claim look young.
 */
export const startStopwatch = (clock: Pick<Clock, "now" | "monotonic">): Stopwatch => {
  const wall = clock.now();
  const monotonic = clock.monotonic();
  return () => Math.max(clock.now() - wall, clock.monotonic() - monotonic, 0);
};
