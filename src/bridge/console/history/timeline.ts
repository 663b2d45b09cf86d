import type { Place } from "../../../console/ports.ts";
import { placeText } from "../../../runtime/record-position.ts";

/** `rank`: the order among entries of the same time. `length`: approximate, in characters. */
export type TimelineEntry<T> = { atMs: number; rank: number; place: Place; length: number; value: T };

/** The entries of a history, in bounded memory. */
export type Timeline<T> = {
  /** Ignores a record that it has already. */
  add: (found: TimelineEntry<T>) => void;
  /** In order of time. */
  all: () => TimelineEntry<T>[];
  /** Whether the oldest entries were dropped. */
  isTruncated: () => boolean;
};

type Limits = { maxCount: number; maxLength: number };

export const TIMELINE_LIMITS: Limits = { maxCount: 500, maxLength: 1_000_000 };

/** Keeps the newest entries. Holds up to twice the limits between two prunings, so that it sorts seldom. */
export const createTimeline = <T>({ maxCount, maxLength }: Limits = TIMELINE_LIMITS): Timeline<T> => {
  let found = new Map<string, TimelineEntry<T>>();
  let length = 0;
  let isCut = false;

  const inOrder = (): TimelineEntry<T>[] =>
    [...found.values()].sort((a, b) => a.atMs - b.atMs || a.rank - b.rank || a.place.offset - b.place.offset);
  const prune = (): void => {
    if (found.size <= maxCount && length <= maxLength) return;
    isCut = true;
    const kept: TimelineEntry<T>[] = [];
    length = 0;
    for (const each of inOrder().reverse()) {
      if (kept.length === maxCount || length + each.length > maxLength) break;
      kept.push(each);
      length += each.length;
    }
    found = new Map(kept.reverse().map((each) => [placeText(each.place.topic, each.place), each]));
  };

  return {
    add: (each) => {
      const name = placeText(each.place.topic, each.place);
      if (found.has(name)) return;
      found.set(name, each);
      length += each.length;
      if (found.size > 2 * maxCount || length > 2 * maxLength) prune();
    },
    all: () => {
      prune();
      return inOrder();
    },
    isTruncated: () => isCut,
  };
};
