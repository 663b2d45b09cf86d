import type { Range } from "../../../kafka/consume/tail.ts";

export type Ranges = ReadonlyMap<number, Range>;

/** Records of a stretch over all partitions: few at first, so that the newest are known soon. What is folded at once takes memory. */
const FIRST = 60_000;
const GROWTH = 5;
const LARGEST = 300_000;

export const recordsIn = (ranges: Ranges): number =>
  [...ranges.values()].reduce(
    (sum, { startOffset, endOffset }) => sum + Math.max(0, endOffset - startOffset),
    0,
  );

/** What a log holds, in stretches from its end to its beginning. */
export const stretchesOf = (all: Ranges) => {
  const left = new Map(all);
  let size = FIRST;
  const unread = (): [number, Range][] =>
    [...left].filter(([, { startOffset, endOffset }]) => endOffset > startOffset);

  return {
    /** The next one, without what the log has dropped meanwhile; null when all was read. @param starts where the log begins now */
    next: (starts: ReadonlyMap<number, number>): Ranges | null => {
      for (const [partition, range] of left)
        left.set(partition, {
          ...range,
          startOffset: Math.max(range.startOffset, starts.get(partition) ?? 0),
        });
      const some = unread();
      if (some.length === 0) return null;
      const each = Math.ceil(size / some.length);
      return new Map(
        some.map(([partition, { startOffset, endOffset }]) => [
          partition,
          { startOffset: Math.max(startOffset, endOffset - each), endOffset },
        ]),
      );
    },
    read: (stretch: Ranges): void => {
      for (const [partition, { startOffset }] of stretch) {
        const range = left.get(partition);
        if (range) left.set(partition, { ...range, endOffset: startOffset });
      }
      size = Math.min(LARGEST, size * GROWTH);
    },
    /** Partitions of which something is left to read. */
    unread: (): number[] => unread().map(([partition]) => partition),
  };
};
