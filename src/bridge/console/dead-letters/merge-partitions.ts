import type { DeadLetter } from "../../../operator/replay/dead-letter.ts";

/** What was read of a partition: the offsets from `low` to `high`. */
export type PartitionSlice = {
  /** The first offset of the partition, or of the filter's time. */
  start: number;
  low: number;
  /** Records at and after it were on an earlier page. */
  high: number;
  /** The time of the oldest record that was read; Infinity where none was. */
  lowMs: number;
  /** The letters that match the filter, in order. */
  letters: DeadLetter[];
};

export type MergedPage = {
  letters: readonly DeadLetter[];
  /** Where the next page begins in each partition. */
  next: ReadonlyMap<number, number>;
  /** Partitions that must be read further back before the page is complete. */
  incomplete: readonly number[];
};

/**
 * Merges the partitions into a page of the newest letters. Each partition is taken in the order of its offsets,
 * whatever its timestamps say, so that pages neither repeat nor skip letters.
 */
export const mergePartitions = (slices: ReadonlyMap<number, PartitionSlice>, count: number): MergedPage => {
  const next = new Map([...slices].map(([partition, { low }]) => [partition, low]));
  const heads = new Map(
    [...slices].map(([partition, slice]) => [partition, { ...slice, left: [...slice.letters] }]),
  );
  const letters: DeadLetter[] = [];
  let incomplete: number[] = [];
  while (letters.length < count && incomplete.length === 0) {
    let youngest: { partition: number; letter: DeadLetter } | null = null;
    for (const [partition, { left }] of heads) {
      const letter = left.at(-1);
      if (letter && (youngest === null || letter.timestampMs > youngest.letter.timestampMs))
        youngest = { partition, letter };
    }
    const youngestMs = youngest?.letter.timestampMs ?? -Infinity;
    // An unread record could be newer.
    incomplete = [...heads]
      .filter(([, { left, low, start, lowMs }]) => left.length === 0 && low > start && lowMs > youngestMs)
      .map(([partition]) => partition);
    if (youngest === null || incomplete.length > 0) break;
    heads.get(youngest.partition)?.left.pop();
    letters.push(youngest.letter);
  }
  for (const [partition, { left }] of heads) {
    const unshown = left.at(-1);
    if (unshown) next.set(partition, unshown.place.offset + 1);
  }
  return { letters, next, incomplete };
};

const CURSOR = /^\d{1,9}-\d{1,15}(?:\.\d{1,9}-\d{1,15})*$/;
const MAX_CURSOR_LENGTH = 100_000;

export const writeCursor = (next: ReadonlyMap<number, number>): string =>
  [...next].map(([partition, offset]) => `${partition}-${offset}`).join(".");

/** Null for a text that is no cursor. */
export const readCursor = (text: string): ReadonlyMap<number, number> | null =>
  text.length <= MAX_CURSOR_LENGTH && CURSOR.test(text)
    ? new Map(
        text.split(".").map((each): [number, number] => {
          const [partition = 0, offset = 0] = each.split("-").map(Number);
          return [partition, offset];
        }),
      )
    : null;
