import type { Hour } from "../../../console/ports.ts";

export const MINUTE_MS = 60_000;
const MINUTES = 60;

type Offsets = ReadonlyMap<number, number>;

const minuteOf = (ms: number): number => Math.floor(ms / MINUTE_MS) * MINUTE_MS;

/** The starts of the last 60 minutes, the oldest first; the last one is the current minute. */
const bordersOf = (nowMs: number): number[] =>
  Array.from({ length: MINUTES }, (_, at) => minuteOf(nowMs) - (MINUTES - 1 - at) * MINUTE_MS);

/** Records between two borders; null where the offsets went back: the topic was created anew. */
const between = (earlier: Offsets, later: Offsets): number | null => {
  let count = 0;
  for (const [partition, offset] of later) {
    const more = offset - (earlier.get(partition) ?? 0);
    if (more < 0) return null;
    count += more;
  }
  return count;
};

/** Records of a topic per minute, from the offsets at the borders of minutes: no record is read. */
export const topicRates = () => {
  const known = new Map<number, Offsets>();
  let ends: Offsets | null = null;
  return {
    /** The current end offsets. */
    putEnds: (offsets: Offsets): void => {
      ends = offsets;
    },
    /** Borders without offsets, the newest first. */
    missing: (nowMs: number): number[] =>
      bordersOf(nowMs)
        .filter((border) => !known.has(border))
        .reverse(),
    put: (border: number, offsets: Offsets, nowMs: number): void => {
      const oldest = bordersOf(nowMs)[0] ?? 0;
      for (const [other, earlier] of known)
        if (other < oldest || (other < border && between(earlier, offsets) === null)) known.delete(other);
      known.set(border, offsets);
    },
    perMinute: (nowMs: number): Hour => {
      const borders = [...bordersOf(nowMs).map((border) => known.get(border)), ends];
      return borders.slice(1).map((later, at) => {
        const earlier = borders[at];
        return earlier && later ? between(earlier, later) : null;
      });
    },
    /** Records of the last 60 minutes; null where not known. */
    sinceHour: (nowMs: number): number | null => {
      const border = known.get(bordersOf(nowMs)[0] ?? 0);
      return border && ends ? between(border, ends) : null;
    },
  };
};

/** The last value of each of the last 60 minutes, the current one included. */
export const minuteSamples = () => {
  const samples = new Map<number, number>();
  return {
    add: (nowMs: number, value: number): void => {
      samples.set(minuteOf(nowMs), value);
      for (const minute of samples.keys())
        if (minute <= minuteOf(nowMs) - MINUTES * MINUTE_MS) samples.delete(minute);
    },
    hour: (nowMs: number): Hour => bordersOf(nowMs).map((minute) => samples.get(minute) ?? null),
  };
};

/**
 * The time of a topic's newest record, to a second, by binary search.
 * @param isBehind whether any record is at or after an instant
 */
export const newestAt = async (
  isBehind: (ms: number) => Promise<boolean>,
  sinceMs: number,
  untilMs: number,
): Promise<number> => {
  let [low, high] = [sinceMs, untilMs];
  while (high - low > 1_000) {
    const middle = Math.floor((low + high) / 2);
    if (await isBehind(middle)) low = middle;
    else high = middle;
  }
  return low;
};
