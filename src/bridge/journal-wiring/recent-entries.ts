import type { Entry, Position } from "../../commands-to-results/journal-rules/entry.ts";

/** Of some two thousand commands: more than are repeated after a crash, which are those that were not committed yet. */
const MAX_BYTES = 4 * 1_048_576;
/** What V8 takes for an entry and its texts, measured. */
const OVERHEAD_BYTES = 600;

/**
 * The entries that were read last and say what a command came to: conclusions, and claims, which the fold itself concludes where the quote
 * is taken. Reading a single record again takes kafkajs long (145 ms).
 */
export const recentEntries = (): {
  keep(at: Position, entry: Entry): void;
  find(at: Position): Entry | null;
} => {
  const entries = new Map<string, { entry: Entry; bytes: number }>();
  let bytes = 0;
  const nameOf = ({ partition, offset }: Position): string => `${partition}/${offset}`;

  return {
    keep: (at, entry) => {
      const { step } = entry;
      if (step.kind !== "concluded" && step.kind !== "claimed") return;
      const size = (step.kind === "concluded" ? step.result.length : 0) + OVERHEAD_BYTES;
      const place = nameOf(at);
      // The journal is read anew now and then: what stands here already is counted once.
      bytes += size - (entries.get(place)?.bytes ?? 0);
      entries.set(place, { entry, bytes: size });
      for (const [name, oldest] of entries) {
        if (bytes <= MAX_BYTES) return;
        entries.delete(name);
        bytes -= oldest.bytes;
      }
    },
    find: (at) => entries.get(nameOf(at))?.entry ?? null,
  };
};
