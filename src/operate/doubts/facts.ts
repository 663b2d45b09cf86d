import type { Connections, OnProgress } from "../connections.ts";
import { readTopic } from "../read-topic.ts";
import { readersOf } from "../story/read-records.ts";
import type { Step } from "../story/step.ts";
import type { Doubt } from "./doubts.ts";

/** A transaction that began after the claim, as far as the events topic tells. */
export type BegunTransaction = {
  transactionId: string;
  firstStatus: string;
  lastStatus: string;
  firstAtMs: number;
};

/** What the call to the partner needs, beside the doubt itself. */
export type DoubtFacts = {
  /** The command as its sender wrote it, its fields as facts; null where it is gone or not readable any more. */
  command: Step | null;
  /** Those that no known result names, the first first; `more`: how many further ones there are. */
  transactions: readonly BegunTransaction[];
  more: number;
  /** Between these times transactions were looked for. */
  sinceMs: number;
  untilMs: number;
};

/**
 * The command was written before its claim, and a transaction with an event so long before the claim began before it.
 */
const BEFORE_MS = 900_000;
/** An accept that was executed shows up within this time. */
const AFTER_MS = 3_600_000;
const MAX_SHOWN = 20;

/**
 * Finds the command of a doubt, and the transactions that began in the hour after its claim and that no result names:
 * one of them may be what the partner made of it.
 */
export const doubtFacts = async (
  connections: Connections,
  { commandId, claimedAtMs }: Doubt,
  onProgress: OnProgress,
  signal: AbortSignal,
): Promise<DoubtFacts> => {
  const { config, services } = connections;
  const { commands, results, transactionStatus } = config.topics;
  const readers = readersOf(connections);
  const reading = { signal, onProgress };
  const period = { fromMs: claimedAtMs - BEFORE_MS, toMs: claimedAtMs + AFTER_MS };

  const findCommand = async (): Promise<Step | null> => {
    let command: Step | null = null;
    const needle = Buffer.from(commandId);
    const fromMs = period.fromMs - config.commands.maxAgeMs;
    await readTopic(
      connections,
      { topic: commands, fromMs, toMs: claimedAtMs + BEFORE_MS },
      async (record) => {
        if (command !== null || record.value?.includes(needle) !== true) return;
        const found = await readers.command(record);
        if (found?.ids.commandId === commandId) command = found.step;
      },
      reading,
    );
    return command;
  };
  const begunTransactions = async (): Promise<Map<string, BegunTransaction>> => {
    const earlier = new Set<string>();
    const begun = new Map<string, BegunTransaction>();
    await readTopic(
      connections,
      { topic: transactionStatus, ...period },
      async (record) => {
        const transactionId = record.key?.toString("utf8") ?? "";
        if (record.timestampMs < claimedAtMs) earlier.add(transactionId);
        if (earlier.has(transactionId)) return;
        const found = await readers.event(record);
        const status = found?.step.facts.find(([name]) => name === "status")?.[1] ?? "";
        const first = { transactionId, firstStatus: status, firstAtMs: record.timestampMs };
        begun.set(transactionId, { ...(begun.get(transactionId) ?? first), lastStatus: status });
      },
      reading,
    );
    return begun;
  };
  const command = await findCommand();
  const begun = await begunTransactions();
  if (begun.size > 0)
    await readTopic(
      connections,
      { topic: results, fromMs: period.fromMs },
      async (record) => {
        begun.delete((await readers.result(record))?.ids.transactionId ?? "");
      },
      reading,
    );
  const transactions = [...begun.values()].sort((a, b) => a.firstAtMs - b.firstAtMs);
  return {
    command,
    transactions: transactions.slice(0, MAX_SHOWN),
    more: Math.max(0, transactions.length - MAX_SHOWN),
    sinceMs: claimedAtMs,
    untilMs: Math.min(period.toMs, services.clock.now()),
  };
};
