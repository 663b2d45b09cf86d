import type { Doubt } from "../../commands-to-results/journal-rules/partition-view.ts";
import { resolvableAtMs } from "../../commands-to-results/journal-rules/resolve.ts";
import type { Config } from "../../config/config.ts";
import { decoder } from "../../kafka/schema/codec.ts";
import { readSchema } from "../../kafka/schema/schemas.ts";
import type { CommandResult } from "../../records.ts";
import { UsageError } from "../../runtime/errors.ts";
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
const RESULTS_TIMEOUT_MS = 60_000;

const anotherLog = ({ topics }: Config): UsageError =>
  new UsageError(
    `${topics.journal} is another log than the one that was read, or is being read anew: \`cambio-bridge doctor\` says what is wrong; otherwise run it again.`,
  );

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
  const resultOf = async ({ ref, claim, position }: Doubt): Promise<CommandResult | null> => {
    const entry = await journal.reread(position);
    if (entry === null) return null;
    const { commandId, step } = entry;
    if (commandId !== ref.commandId || step.kind !== "concluded" || step.attemptId !== claim.attemptId)
      throw anotherLog(config);
    const decoded = await decode(step.result);
    return decoded.ok ? decoded.value : null;
  };
  const withResults = async (some: readonly Doubt[]): Promise<ListedDoubt[]> => {
    const results = await Promise.all(some.map(resultOf));
    return some.map((doubt, i) => ({
      ...doubt,
      result: results[i] ?? null,
      resolvableAtMs: resolvableAtMs(doubt.claim),
    }));
  };
  try {
    await untilRead(opened, clock, stopped);
    const found = view.doubts().sort((a, b) => a.sinceMs - b.sinceMs);
    const counts = view.count();
    const doubts: ListedDoubt[] = [];
    while (doubts.length < found.length) {
      const some = found.slice(doubts.length, doubts.length + READ_AT_ONCE);
      doubts.push(...(await clock.within(RESULTS_TIMEOUT_MS, stopped, withResults(some))));
    }
    if (!view.ready()) throw anotherLog(config);
    return {
      doubts,
      commands: counts.reduce((sum, { commands }) => sum + commands, 0),
      underWay: counts.reduce((sum, { open }) => sum + open, 0) - found.length,
    };
  } finally {
    await opened.close();
  }
};
