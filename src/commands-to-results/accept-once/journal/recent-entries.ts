import type { FoldedEntry } from "../entry.ts";
import { positionText, type RecordPosition } from "../../../runtime/record-position.ts";
import { ownCopy, sizeOf } from "../../../kafka/consume/record-memory.ts";
import type { Range } from "../../../kafka/consume/read-log.ts";
import type { Incoming } from "../../../kafka/record.ts";

/** About two thousand commands: more than are redelivered after a crash (those that were not committed yet). */
const GENERATION_BYTES = 8 * 1_048_576;
/** As many as a generation holds if all are in one partition. */
const LAST_OF_PARTITION = 4_000;

/**
 * Keeps the last records that hold a command's outcome: conclusions, and claims, which the fold itself concludes if
 * the quote is taken. Single records are read again one after the other, in some milliseconds each. A full generation
 * is kept until the next one is full.
 */
export type RecentEntries = {
  /**
   * The journal is about to be read. Records long before its end are not kept: they would not be among the last ones.
   */
  begin(ranges: ReadonlyMap<number, Range>): void;
  keep(record: Incoming, entry: FoldedEntry): void;
  find(at: RecordPosition): Incoming | null;
};

export const recentEntries = (): RecentEntries => {
  let older = new Map<string, Incoming>();
  let newer = new Map<string, Incoming>();
  let bytes = 0;
  const keptFrom = new Map<number, number>();

  return {
    begin: (ranges) => {
      for (const [partition, { endOffset }] of ranges) keptFrom.set(partition, endOffset - LAST_OF_PARTITION);
    },
    keep: (record, { step }) => {
      if (record.offset < (keptFrom.get(record.partition) ?? 0)) return;
      if (step.kind !== "concluded" && step.kind !== "claimed") return;
      newer.set(positionText(record), ownCopy(record));
      bytes += sizeOf(record);
      if (bytes < GENERATION_BYTES) return;
      older = newer;
      newer = new Map();
      bytes = 0;
    },
    find: (at) => newer.get(positionText(at)) ?? older.get(positionText(at)) ?? null,
  };
};
