/**
 * How far apart tasks begin. What begins together ends together: its places come free at once, the next ones begin together as well, and work
 * and waiting take turns for all of them, where they could overlap. So once half of the places are taken, the rest are given out one by one,
 * twice as fast as places come free on average: that loses nothing, and takes the convoys apart.
 */
export type Pace = {
  /** Whole milliseconds, as timers know them, until a task may begin; 0 for now. Times are monotonic milliseconds. */
  waitMs: (running: number, now: number) => number;
  began: (now: number) => void;
  /** A task gave its place back. */
  ended: (heldMs: number) => void;
};

/** Of the average time between two places coming free. */
const SHARE = 0.5;
/** Weight of the latest in the moving average. */
const WEIGHT = 1 / 64;
/** Tasks that take longer are few, and in nobody's way. */
const MOST_HELD_MS = 1_000;
/** Timers are coarse: what they missed is made up for, but no more than that. */
const SLACK_MS = 2;

/** @param places how many tasks may run */
export const paceOf = (places: number): Pace => {
  let heldMs = 0;
  let nextAt = Number.NEGATIVE_INFINITY;
  return {
    waitMs: (running, now) => (2 * running < places ? 0 : Math.max(0, Math.ceil(nextAt - now))),
    began: (now) => {
      nextAt = Math.max(nextAt, now - SLACK_MS) + (SHARE * heldMs) / places;
    },
    ended: (ms) => {
      heldMs += (Math.min(ms, MOST_HELD_MS) - heldMs) * WEIGHT;
    },
  };
};
