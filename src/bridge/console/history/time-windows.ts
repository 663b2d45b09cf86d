import type { Coverage, Partitions } from "./coverage.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * From when on to read, one after the other, where nobody said how far back: most of what is looked for is young. `-Infinity`: all.
 * @param sinceMs what somebody said
 */
export const windowsFrom = (sinceMs: number | null, nowMs: number): readonly number[] =>
  sinceMs === null ? [nowMs - HOUR_MS, nowMs - DAY_MS, nowMs - 7 * DAY_MS, -Infinity] : [sinceMs];

/** Reads one window after the other. What was read stays read: it goes on where it was. */
export const windowReader = (coverage: Coverage, windows: readonly number[]) => {
  let done = 0;
  return {
    /** From when on all is known; null before anything is. */
    sinceMs: (): number | null => windows[done - 1] ?? null,
    /**
     * @param wanted is asked until it names no more: what is found may say where else to look
     * @param isEnough ends it after a window
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
