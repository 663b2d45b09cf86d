import type { Range } from "../../kafka/consume/read-log.ts";
import type { RecordPosition } from "../../runtime/record-position.ts";

/** Offsets from `from` on; `to` is the one after the last. */
type Run = { from: number; to: number };

/** Runs of own records of a partition that are kept while nothing is read. What is forgotten is read back. */
const MAX_RUNS = 10_000;

const addOffset = (runs: Run[], offset: number): void => {
  const at = 1 + runs.findLastIndex(({ from }) => from <= offset);
  const before = runs[at - 1];
  if (before && offset <= before.to) before.to = Math.max(before.to, offset + 1);
  else runs.splice(at, 0, { from: offset, to: offset + 1 });
};

/**
 * How far this replica knows each partition of the events topic, by reading records or by having written
 * them. Its own records are not read back: that would add a quarter to the processor time of each webhook (20
 * to 80 µs, mostly in kafkajs).
 */
export const topicProgress = () => {
  /** The first unknown offset of each partition. */
  const next = new Map<number, number>();
  /**
   * Own records behind records that are not known yet, in ascending order. `skipOwn` drops those that
   * `next` has passed.
   */
  const written = new Map<number, Run[]>();

  const skipOwn = (partition: number): number => {
    const runs = written.get(partition) ?? [];
    let offset = next.get(partition) ?? 0;
    for (let run = runs[0]; run && run.from <= offset; run = runs[0]) {
      offset = Math.max(offset, run.to);
      runs.shift();
    }
    next.set(partition, offset);
    return offset;
  };

  return {
    /** Starts over at the start of these ranges. */
    begin: (ranges: ReadonlyMap<number, Range>): void => {
      written.clear();
      // A topic that was deleted and created again may have fewer partitions.
      next.clear();
      for (const [partition, { startOffset }] of ranges) next.set(partition, startOffset);
    },
    wrote: ({ partition, offset }: RecordPosition): void => {
      const expected = next.get(partition) ?? 0;
      if (offset === expected) next.set(partition, offset + 1);
      else if (offset > expected) {
        const runs = written.get(partition) ?? [];
        if (runs.length >= MAX_RUNS) runs.length = 0;
        addOffset(runs, offset);
        written.set(partition, runs);
      }
      skipOwn(partition);
    },
    read: ({ partition, offset }: RecordPosition): void => {
      next.set(partition, Math.max(next.get(partition) ?? 0, offset + 1));
    },
    positions: (): ReadonlyMap<number, number> => new Map(next),
    /** Where to read on, for the partitions with unknown records before the ends of these ranges. */
    unread: (ranges: ReadonlyMap<number, Range>): ReadonlyMap<number, number> => {
      const positions = new Map<number, number>();
      for (const [partition, { endOffset }] of ranges) {
        const offset = skipOwn(partition);
        if (offset < endOffset) positions.set(partition, offset);
      }
      return positions;
    },
  };
};
