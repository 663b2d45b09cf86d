import type { FoldedEntry, Position } from "../../commands-to-results/journal-rules/entry.ts";
import { ownCopy, sizeOf } from "../../kafka/consume/own-copy.ts";
import type { Range } from "../../kafka/consume/tail.ts";
import type { Incoming } from "../../kafka/record.ts";

/** Of some two thousand commands: more than are repeated after a crash, which are those that were not committed yet. */
const GENERATION_BYTES = 8 * 1_048_576;
/** As many as a generation holds when all of them are in one partition. */
const LAST_OF_PARTITION = 4_000;

/**
 * The records that were read last and say what a command came to: conclusions, and claims, which the fold itself concludes where the quote
 * is taken. Reading a single record again takes kafkajs long (145 ms). A generation that is full is kept until the next one is full.
 */
export type RecentEntries = {
  /** The journal is about to be read: what stands long before its end will not be among the last ones, and keeping it costs time. */
  begin(ranges: ReadonlyMap<number, Range>): void;
  keep(record: Incoming, entry: FoldedEntry): void;
  find(at: Position): Incoming | null;
};

export const recentEntries = (): RecentEntries => {
  let older = new Map<string, Incoming>();
  let newer = new Map<string, Incoming>();
  let bytes = 0;
  const keptFrom = new Map<number, number>();
  const nameOf = ({ partition, offset }: Position): string => `${partition}/${offset}`;

  return {
    begin: (ranges) => {
      for (const [partition, { endOffset }] of ranges) keptFrom.set(partition, endOffset - LAST_OF_PARTITION);
    },
    keep: (record, { step }) => {
      if (record.offset < (keptFrom.get(record.partition) ?? 0)) return;
      if (step.kind !== "concluded" && step.kind !== "claimed") return;
      newer.set(nameOf(record), ownCopy(record));
      bytes += sizeOf(record);
      if (bytes < GENERATION_BYTES) return;
      older = newer;
      newer = new Map();
      bytes = 0;
    },
    find: (at) => newer.get(nameOf(at)) ?? older.get(nameOf(at)) ?? null,
  };
};
