import type { Entry, Position } from "../../commands-to-results/journal-rules/entry.ts";
import type { Range } from "../../kafka/consume/tail.ts";

/** Of some two thousand commands: more than are repeated after a crash, which are those that were not committed yet. */
const GENERATION_BYTES = 4 * 1_048_576;
/** What V8 takes for an entry and its texts, measured. */
const OVERHEAD_BYTES = 600;
/** As many as a generation holds when all of them are in one partition. */
const LAST_OF_PARTITION = 4_000;

/**
 * The entries that were read last and say what a command came to: conclusions, and claims, which the fold itself concludes where the quote
 * is taken. Reading a single record again takes kafkajs long (145 ms). A generation that is full is kept until the next one is full.
 */
export type RecentEntries = {
  /** The journal is about to be read: what stands long before its end will not be among the last ones, and keeping it costs time. */
  begin(ranges: ReadonlyMap<number, Range>): void;
  keep(at: Position, entry: Entry): void;
  find(at: Position): Entry | null;
};

export const recentEntries = (): RecentEntries => {
  let older = new Map<string, Entry>();
  let newer = new Map<string, Entry>();
  let bytes = 0;
  const keptFrom = new Map<number, number>();
  const nameOf = ({ partition, offset }: Position): string => `${partition}/${offset}`;

  return {
    begin: (ranges) => {
      for (const [partition, { endOffset }] of ranges) keptFrom.set(partition, endOffset - LAST_OF_PARTITION);
    },
    keep: (at, entry) => {
      const { step } = entry;
      if (at.offset < (keptFrom.get(at.partition) ?? 0)) return;
      if (step.kind !== "concluded" && step.kind !== "claimed") return;
      bytes += (step.kind === "concluded" ? step.result.length : 0) + OVERHEAD_BYTES;
      newer.set(nameOf(at), entry);
      if (bytes < GENERATION_BYTES) return;
      older = newer;
      newer = new Map();
      bytes = 0;
    },
    find: (at) => newer.get(nameOf(at)) ?? older.get(nameOf(at)) ?? null,
  };
};
