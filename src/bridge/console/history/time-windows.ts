import type { Coverage, Partitions } from "./coverage.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * The start times to search from, one after the other: an hour, a day, a week, then everything (`-Infinity`).
 * @param sinceMs a given start; then it is the only one
 */
export const windowsFrom = (sinceMs: number | null, nowMs: number): readonly number[] =>
  sinceMs === null ? [nowMs - HOUR_MS, nowMs - DAY_MS, nowMs - 7 * DAY_MS, -Infinity] : [sinceMs];

/** Reads one window after the other, each without what was read before. */
export const windowReader = (coverage: Coverage, windows: readonly number[]) => {
  let done = 0;
  return {
    /** Since when everything is read; null before the first window is. */
    sinceMs: (): number | null => windows[done - 1] ?? null,
    /**
     * @param wanted the partitions; called again after each read, because records may name further ones
     * @param isEnough whether to stop after a window
     */
    read: async (wanted: () => Partitions, isEnough: () => boolean, signal: AbortSignal): Promise<void> => {
      const cover = async (sinceMs: number): Promise<void> => {
        for (let before = 0, now = countOf(wanted()); now > before; now = countOf(wanted())) {
          before = now;
          await coverage.cover(wanted(), sinceMs, signal);
        }
      };
      const [last] = windows.slice(0, done).slice(-1);
      if (last !== undefined) await cover(last);
      while (done < windows.length && !(done > 0 && isEnough())) {
        await cover(windows[done] ?? -Infinity);
        done += 1;
      }
    },
  };
};

const countOf = (partitions: Partitions): number =>
  [...partitions.values()].reduce((sum, { size }) => sum + size, 0);
