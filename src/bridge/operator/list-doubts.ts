import type { Doubt } from "../../commands-to-results/journal-rules/partition-view.ts";
import { resolvableAtMs } from "../../commands-to-results/journal-rules/resolve.ts";
import type { Config } from "../../config/config.ts";
import { decoder } from "../../kafka/schema/codec.ts";
import { readSchema } from "../../kafka/schema/schemas.ts";
import type { CommandResult } from "../../records.ts";
import type { RecordPosition } from "../../runtime/record-position.ts";
import { openJournal } from "../journal-wiring/open.ts";
import type { Services } from "../services.ts";
import { schemaIdsOf, untilRead } from "./read-journal.ts";

export type ListedDoubt = Doubt & {
  /** What was published of it; null where it cannot be read. */
  result: CommandResult | null;
  /** Since when `resolve` needs no force. */
  resolvableAtMs: number;
};

export type ListedDoubts = {
  /** The oldest first. */
  doubts: readonly ListedDoubt[];
  /** Commands that the journal knows. */
  commands: number;
  /** Claims without an end: their calls may be under way, or their replicas gone. */
  underWay: number;
};

/** Results that are read at once: entries that lie near each other come with one fetch. */
const READ_AT_ONCE = 200;

/**
 * Reads the journal as a replica does, and gives its doubts. Writes nothing. Throws a UsageError where the
 * journal is missing or cannot be read by this version.
 */
export const listDoubts = async (
  config: Config,
  services: Services,
  stopped: AbortSignal,
): Promise<ListedDoubts> => {
  const { clock, registry } = services;
  const schemaIds = await schemaIdsOf(config, services, ["journal"]);
  const decode = decoder<CommandResult>(readSchema("command-result"), registry, clock.monotonic);
  const opened = await openJournal(config, services, schemaIds.get("command-journal-entry") ?? 0, {
    askNotes: () => Promise.resolve([]),
  });
  const { view, journal } = opened;
  const resultAt = async (position: RecordPosition): Promise<CommandResult | null> => {
    const entry = await journal.reread(position);
    if (entry?.step.kind !== "concluded") return null;
    const decoded = await decode(entry.step.result);
    return decoded.ok ? decoded.value : null;
  };
  try {
    await untilRead(opened, config, clock, stopped);
    const found = view.doubts().sort((a, b) => a.sinceMs - b.sinceMs);
    const counts = view.count();
    const doubts: ListedDoubt[] = [];
    while (doubts.length < found.length) {
      stopped.throwIfAborted();
      const some = found.slice(doubts.length, doubts.length + READ_AT_ONCE);
      const results = await Promise.all(some.map(({ position }) => resultAt(position)));
      doubts.push(
        ...some.map((doubt, i) => ({
          ...doubt,
          result: results[i] ?? null,
          resolvableAtMs: resolvableAtMs(doubt.claim),
        })),
      );
    }
    return {
      doubts,
      commands: counts.reduce((sum, { commands }) => sum + commands, 0),
      underWay: counts.reduce((sum, { open }) => sum + open, 0) - found.length,
    };
  } finally {
    await opened.close();
  }
};
