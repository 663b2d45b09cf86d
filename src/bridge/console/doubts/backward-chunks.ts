import type { Range, Ranges } from "../../../kafka/consume/tail.ts";

/**
 * Records of a chunk over all partitions: few at first, so that the newest are known soon; bounded, because a
 * chunk is folded in memory.
 */
const FIRST = 60_000;
const GROWTH = 5;
const LARGEST = 300_000;

/** Divides a log into chunks, from its end to its beginning. */
export const backwardChunks = (all: Ranges) => {
  const left = new Map(all);
  let size = FIRST;
  const unread = (): [number, Range][] =>
    [...left].filter(([, { startOffset, endOffset }]) => endOffset > startOffset);

  return {
    /**
     * The next chunk, without what retention deleted; null when all was read.
     * @param starts the log's current first offsets
     */
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
    read: (chunk: Ranges): void => {
      for (const [partition, { startOffset }] of chunk) {
        const range = left.get(partition);
        if (range) left.set(partition, { ...range, endOffset: startOffset });
      }
      size = Math.min(LARGEST, size * GROWTH);
    },
    /** Partitions that are not read to their beginning. */
    unread: (): number[] => unread().map(([partition]) => partition),
  };
};
