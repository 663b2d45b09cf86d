import type { Letter } from "../../../operator/replay/dead-letter.ts";

/** What was read of a partition: all from `low` to `high`. */
export type Stretch = {
  /** Where the partition, or what is meant of it, begins. */
  start: number;
  low: number;
  /** What stands from here on was on an earlier page. */
  high: number;
  /** The time of the oldest record that was read; Infinity where none was. */
  lowMs: number;
  /** Those that are meant, in order. */
  letters: Letter[];
};

export type Page = {
  letters: readonly Letter[];
  /** Where the next page begins in each partition. */
  next: ReadonlyMap<number, number>;
  /** Partitions of which more must be read before it is known what comes next. */
  wanting: readonly number[];
};

/**
 * The newest letters of all partitions: each partition from its end on, always the one whose next letter is the youngest. A partition's own order
 * stands, whatever its times say, so that no page repeats or leaves out what another one has.
 */
export const pageOf = (stretches: ReadonlyMap<number, Stretch>, count: number): Page => {
  const next = new Map([...stretches].map(([partition, { low }]) => [partition, low]));
  const heads = new Map(
    [...stretches].map(([partition, stretch]) => [partition, { ...stretch, left: [...stretch.letters] }]),
  );
  const letters: Letter[] = [];
  let wanting: number[] = [];
  while (letters.length < count && wanting.length === 0) {
    let youngest: { partition: number; letter: Letter } | null = null;
    for (const [partition, { left }] of heads) {
      const letter = left.at(-1);
      if (letter && (youngest === null || letter.timestampMs > youngest.letter.timestampMs))
        youngest = { partition, letter };
    }
    const youngestMs = youngest?.letter.timestampMs ?? -Infinity;
    // What was not read yet could be younger.
    wanting = [...heads]
      .filter(([, { left, low, start, lowMs }]) => left.length === 0 && low > start && lowMs > youngestMs)
      .map(([partition]) => partition);
    if (youngest === null || wanting.length > 0) break;
    heads.get(youngest.partition)?.left.pop();
    letters.push(youngest.letter);
  }
  for (const [partition, { left }] of heads) {
    const unshown = left.at(-1);
    if (unshown) next.set(partition, unshown.place.offset + 1);
  }
  return { letters, next, wanting };
};

const CURSOR = /^\d{1,9}-\d{1,15}(?:\.\d{1,9}-\d{1,15})*$/;
const MAX_CURSOR_LENGTH = 100_000;

export const writeCursor = (next: ReadonlyMap<number, number>): string =>
  [...next].map(([partition, offset]) => `${partition}-${offset}`).join(".");

/** Null for a text that is none. */
export const readCursor = (text: string): ReadonlyMap<number, number> | null =>
  text.length <= MAX_CURSOR_LENGTH && CURSOR.test(text)
    ? new Map(
        text.split(".").map((each): [number, number] => {
          const [partition = 0, offset = 0] = each.split("-").map(Number);
          return [partition, offset];
        }),
      )
    : null;
