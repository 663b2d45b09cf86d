import type { Place } from "../../../console/ports.ts";
import { placeText } from "../../../operator/replay/dead-letter.ts";

/** What a record of a story became. `rank`: its order among those of one time. `length`: of its texts, about. */
export type Found<T> = { atMs: number; rank: number; place: Place; length: number; value: T };

/** What a story is made of, in bounded memory. */
export type Shelf<T> = {
  /** A record that is read again is the same one. */
  put: (found: Found<T>) => void;
  /** In order of time. */
  all: () => Found<T>[];
  /** Whether the oldest ones had to go. */
  isCut: () => boolean;
};

type Limits = { maxCount: number; maxLength: number };

export const LIMITS: Limits = { maxCount: 500, maxLength: 1_000_000 };

/** Keeps the newest. Holds twice as much as it keeps at most, so that it is put in order seldom. */
export const createShelf = <T>({ maxCount, maxLength }: Limits = LIMITS): Shelf<T> => {
  let found = new Map<string, Found<T>>();
  let length = 0;
  let isCut = false;

  const inOrder = (): Found<T>[] =>
    [...found.values()].sort((a, b) => a.atMs - b.atMs || a.rank - b.rank || a.place.offset - b.place.offset);
  const prune = (): void => {
    if (found.size <= maxCount && length <= maxLength) return;
    isCut = true;
    const kept: Found<T>[] = [];
    length = 0;
    for (const each of inOrder().reverse()) {
      if (kept.length === maxCount || length + each.length > maxLength) break;
      kept.push(each);
      length += each.length;
    }
    found = new Map(kept.reverse().map((each) => [placeText(each.place.topic, each.place), each]));
  };

  return {
    put: (each) => {
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
    isCut: () => isCut,
  };
};
