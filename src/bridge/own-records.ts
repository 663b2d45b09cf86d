import type { Range } from "../kafka/consume/tail.ts";

/**
 * How far each partition is known without reading it: where everything that was written comes from this replica. Reading back what one has
 * just written would cost as much as half of writing it.
 */
export const ownRecords = () => {
  const next = new Map<number, number>();
  const written = new Map<number, Set<number>>();

  const advance = (partition: number): void => {
    const own = written.get(partition);
    let offset = next.get(partition);
    if (!own || offset === undefined) return;
    while (own.delete(offset)) offset += 1;
    next.set(partition, offset);
  };

  return {
    /** Nothing is known but that reading begins here. */
    begin: (ranges: ReadonlyMap<number, Range>): void => {
      written.clear();
      // Of another topic of this name there may be fewer: one that is gone for good would be waited for for ever.
      next.clear();
      for (const [partition, { startOffset }] of ranges) next.set(partition, startOffset);
    },
    wrote: ({ partition, offset }: { partition: number; offset: number }): void => {
      const expected = next.get(partition) ?? 0;
      // Nearly always, and then there is nothing to keep.
      if (offset === expected) next.set(partition, offset + 1);
      else if (offset > expected) {
        const own = written.get(partition) ?? new Set();
        written.set(partition, own.add(offset));
      }
    },
    read: ({ partition, offset }: { partition: number; offset: number }): void => {
      written.get(partition)?.delete(offset);
      next.set(partition, Math.max(next.get(partition) ?? 0, offset + 1));
    },
    next: (partition: number): number | null => next.get(partition) ?? null,
    /** How far each partition is known now. A log that ends before that, asked later, is another log. */
    reach: (): ReadonlyMap<number, number> => new Map(next),
    /** Whether everything before the ends of these ranges is known. What this replica has written there itself is never read. */
    reaches: (ranges: ReadonlyMap<number, Range>): boolean =>
      [...ranges].every(([partition, { endOffset }]) => (next.get(partition) ?? 0) >= endOffset),
    /** Where to read on, of the partitions that hold something unknown before their ends. */
    unknown: (ranges: ReadonlyMap<number, Range>): Map<number, number> => {
      const positions = new Map<number, number>();
      for (const [partition, { endOffset }] of ranges) {
        advance(partition);
        const offset = next.get(partition) ?? 0;
        if (offset < endOffset) positions.set(partition, offset);
      }
      return positions;
    },
  };
};
