import type { Incoming } from "../../kafka/record.ts";
import type { Connections, OnProgress } from "../connections.ts";
import { mayHold, readTopic } from "../read-topic.ts";
import { readersOf } from "../story/read-records.ts";
import type { Step } from "../story/step.ts";
import type { Doubt } from "./doubts.ts";

/** A transaction that began after the claim, as far as the events topic tells. */
type BegunTransaction = { transactionId: string; firstStatus: string; lastStatus: string; firstAtMs: number };

/**
 * The command was written before its claim, and a transaction with an event so long before the claim began before it.
 */
const BEFORE_MS = 900_000;
/** An accept that was executed shows up within this time. */
const AFTER_MS = 3_600_000;

/**
 * Finds the command of a doubt, and the transactions that began in the hour after its claim and that no result names:
 * one of them may be what the partner made of it.
 */
export const doubtFacts = async (
  connections: Connections,
  { commandId, claimedAtMs }: Doubt,
  onProgress: OnProgress,
  signal: AbortSignal,
) => {
  const { config, services } = connections;
  const { commands, results, transactionStatus } = config.topics;
  const readers = readersOf(connections);
  const reading = { signal, onProgress };
  const period = { fromMs: claimedAtMs - BEFORE_MS, toMs: claimedAtMs + AFTER_MS };

  let command = null as Step | null;
  const needle = Buffer.from(commandId);
  const written = { fromMs: period.fromMs - config.commands.maxAgeMs, toMs: claimedAtMs + BEFORE_MS };
  const takeCommand = async (record: Incoming): Promise<void> => {
    if (command !== null || !mayHold(record.value, needle)) return;
    const found = await readers.command(record);
    if (found?.ids.commandId === commandId) command = found.step;
  };
  await readTopic(connections, { topic: commands, ...written }, takeCommand, reading);
  // Any sender's clock sets the times: one that is ahead ends the reading too early.
  const later = { topic: commands, fromMs: written.fromMs };
  if (command === null) await readTopic(connections, later, takeCommand, reading);

  const earlier = new Set<string>();
  const begun = new Map<string, BegunTransaction>();
  const takeEvent = async (record: Incoming): Promise<void> => {
    const transactionId = record.key?.toString("utf8") ?? "";
    if (record.timestampMs < claimedAtMs) earlier.add(transactionId);
    if (earlier.has(transactionId)) return;
    const found = await readers.event(record);
    const status = found?.step.facts.find(([name]) => name === "status")?.[1] ?? "";
    const first = { transactionId, firstStatus: status, firstAtMs: record.timestampMs };
    begun.set(transactionId, { ...(begun.get(transactionId) ?? first), lastStatus: status });
  };
  await readTopic(connections, { topic: transactionStatus, ...period }, takeEvent, reading);

  const takeResult = async (record: Incoming): Promise<void> => {
    begun.delete((await readers.result(record))?.ids.transactionId ?? "");
  };
  if (begun.size > 0)
    await readTopic(connections, { topic: results, fromMs: period.fromMs }, takeResult, reading);
  return {
    /** As its sender wrote it, its fields as facts; null where it is gone or not readable any more. */
    command,
    /** Those that no known result names, the first first, looked for between these times. */
    transactions: [...begun.values()].sort((a, b) => a.firstAtMs - b.firstAtMs),
    sinceMs: claimedAtMs,
    untilMs: Math.min(period.toMs, services.clock.now()),
  };
};

/** What the call to the partner needs, beside the doubt itself. */
export type DoubtFacts = Awaited<ReturnType<typeof doubtFacts>>;
