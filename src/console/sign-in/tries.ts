import type { Clock } from "../../runtime/clock.ts";

const MAX_FAILED = 10;
const WINDOW_MS = 60_000;
/** Beyond so many addresses the oldest are forgotten. */
const MAX_ADDRESSES = 10_000;

/** Bounds how often an address may be wrong. A try counts as failed until it was right, so that many at once cannot slip through. */
export const limitTries = (clock: Pick<Clock, "monotonic">) => {
  const failed = new Map<string, { count: number; untilMs: number }>();
  return {
    /** Counts a try; says for how long there may be none, 0 for this one may be. */
    begin: (address: string): number => {
      const nowMs = clock.monotonic();
      const known = failed.get(address);
      const isOver = known === undefined || known.untilMs <= nowMs;
      if (!isOver && known.count >= MAX_FAILED) return known.untilMs - nowMs;
      failed.delete(address);
      failed.set(address, {
        count: isOver ? 1 : known.count + 1,
        untilMs: isOver ? nowMs + WINDOW_MS : known.untilMs,
      });
      const [oldest] = failed.keys();
      if (failed.size > MAX_ADDRESSES && oldest !== undefined) failed.delete(oldest);
      return 0;
    },
    wasRight: (address: string): void => {
      const known = failed.get(address);
      if (known) known.count--;
    },
  };
};
