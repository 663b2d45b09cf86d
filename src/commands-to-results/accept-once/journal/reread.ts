import type { Entry, FoldedEntry } from "../entry.ts";
import { positionText, type RecordPosition } from "../../../runtime/record-position.ts";
import { ownCopy, recordBytes } from "../../../kafka/consume/record-memory.ts";
import type { Range } from "../../../kafka/ranges.ts";
import type { Incoming } from "../../../kafka/record.ts";

type Source = {
  /** Reads one record, in some milliseconds. Null if it was not found. */
  reread: (partition: number, offset: number) => Promise<Incoming | null>;
  /** The first offset that the partition still holds. */
  startOf: (partition: number) => Promise<number>;
  entryOf: (record: Incoming) => Entry | null | "not yet";
};

/** More commands than are redelivered after a crash, and most of their records: 16 MB at most. */
const MOST_RECENT = 4_000;
const MAX_BYTES = 4_096;

/**
 * Reads entries of the journal again. Keeps the last ones that hold a command's outcome: conclusions, and claims,
 * which the fold itself concludes if the quote is taken.
 */
export const rereadEntries = ({ reread, startOf, entryOf }: Source) => {
  /** Two generations: to delete the oldest entry of one map for each new one costs several times as much. */
  let [recent, older] = [new Map<string, Incoming>(), new Map<string, Incoming>()];
  const recentFrom = new Map<number, number>();

  return {
    /** The journal is about to be read: what stands long before its end would not stay among the last ones. */
    begin: (ranges: ReadonlyMap<number, Range>): void => {
      for (const [partition, { endOffset }] of ranges) recentFrom.set(partition, endOffset - MOST_RECENT);
    },
    keep: (record: Incoming, { step }: FoldedEntry): void => {
      if (step.kind !== "concluded" && step.kind !== "claimed") return;
      if (record.offset < (recentFrom.get(record.partition) ?? 0) || recordBytes(record) > MAX_BYTES) return;
      if (recent.size >= MOST_RECENT / 2) [recent, older] = [new Map<string, Incoming>(), recent];
      recent.set(positionText(record), ownCopy(record));
    },
    /**
     * Null makes the view forget the entry, and a forgotten accept could be executed again. So null is returned only
     * if the log itself says that it begins later. Everything else rejects, and is tried again.
     */
    reread: async (position: RecordPosition): Promise<Entry | null> => {
      const { partition, offset } = position;
      const name = positionText(position);
      const record = recent.get(name) ?? older.get(name) ?? (await reread(partition, offset));
      if (record === null) {
        if ((await startOf(partition)) > offset) return null;
        throw new Error(`entry ${partition}/${offset} is in the journal and was not found`);
      }
      const entry = entryOf(record);
      if (entry === null || entry === "not yet")
        throw new Error(`entry ${partition}/${offset} cannot be decoded now`);
      return entry;
    },
  };
};
