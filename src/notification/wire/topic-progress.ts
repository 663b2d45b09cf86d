import type { Range } from "../../kafka/consume/read-log.ts";
import type { RecordPosition } from "../../runtime/record-position.ts";

/** `next`: the first unknown offset. `from` to `to`: own records behind it that follow one another. */
type Known = { next: number; from: number; to: number };

/**
 * How far this replica knows each partition of the events topic, by reading records or by having written
 * them. Its own records are not read back where that can be helped: it would add a quarter to the processor time of
 * each webhook (20 to 80 µs, mostly in kafkajs).
 */
export const topicProgress = () => {
  const partitions = new Map<number, Known>();

  const knownOf = (partition: number): Known => {
    const known = partitions.get(partition) ?? { next: 0, from: 0, to: 0 };
    partitions.set(partition, known);
    return known;
  };
  const passOwn = (known: Known): void => {
    if (known.from <= known.next) known.next = Math.max(known.next, known.to);
  };

  return {
    /** Starts over at the start of these ranges. */
    begin: (ranges: ReadonlyMap<number, Range>): void => {
      // A topic that was deleted and created again may have fewer partitions.
      partitions.clear();
      for (const [partition, { startOffset }] of ranges)
        partitions.set(partition, { next: startOffset, from: startOffset, to: startOffset });
    },
    wrote: ({ partition, offset }: RecordPosition): void => {
      const known = knownOf(partition);
      // After a gap, which others have written, only the last run is kept: those before it are read with the gap.
      if (offset !== known.to) known.from = offset;
      known.to = offset + 1;
      passOwn(known);
    },
    read: ({ partition, offset }: RecordPosition): void => {
      const known = knownOf(partition);
      known.next = Math.max(known.next, offset + 1);
      passOwn(known);
    },
    positions: (): ReadonlyMap<number, number> =>
      new Map([...partitions].map(([partition, { next }]) => [partition, next])),
    /** Where to read on, for the partitions with unknown records before the ends of these ranges. */
    unread: (ranges: ReadonlyMap<number, Range>): ReadonlyMap<number, number> =>
      new Map(
        [...ranges]
          .map(([partition, { endOffset }]) => ({ partition, endOffset, next: knownOf(partition).next }))
          .filter(({ next, endOffset }) => next < endOffset)
          .map(({ partition, next }) => [partition, next]),
      ),
  };
};
