import { commandDecoder } from "../../bridge/command-decoder.ts";
import { explainOutage } from "../../bridge/outage.ts";
import { scanRanges } from "../../bridge/scan-ranges.ts";
import { withCluster } from "../../bridge/with-cluster.ts";
import { checkFor } from "../../commands-to-results/check.ts";
import { readCommand } from "../../commands-to-results/read-command.ts";
import type { Range } from "../../kafka/consume/tail.ts";
import type { Incoming } from "../../kafka/record.ts";
import { decoder } from "../../kafka/schema/codec.ts";
import { readSchema } from "../../kafka/schema/schemas.ts";
import type { CommandResult, TransactionStatusUpdated } from "../../records.ts";
import { placeText } from "../../runtime/record-position.ts";
import type { Connections, OnProgress } from "../connections.ts";
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
  /** The command as its sender wrote it; null where it is gone or not readable any more. */
  command: {
    amount: string | null;
    counterpartyId: string;
    issuedAtMs: number;
    expiresAtMs: number | null;
    place: string;
  } | null;
  /** Those that no known result names, the first first; `more`: how many further ones there are. */
  transactions: readonly BegunTransaction[];
  more: number;
  /** Between these times transactions were looked for. */
  sinceMs: number;
  untilMs: number;
};

/** The command was written before its claim, if it was young enough; clocks may differ. */
const SKEW_MS = 900_000;
/** A transaction that has an event so long before the claim began before it. */
const BEFORE_MS = 900_000;
/** An accept that was executed shows up within this time. */
const AFTER_MS = 3_600_000;
const MAX_SHOWN = 20;

/** Reads the records of a topic between two times. */
const scanBetween = async (
  { config, services }: Connections,
  { topic, fromMs, toMs }: { topic: string; fromMs: number; toMs: number },
  take: (record: Incoming) => void | Promise<void>,
  onProgress: OnProgress,
  signal: AbortSignal,
): Promise<void> => {
  const ranges = await withCluster(services, async (cluster) => {
    if (!(await cluster.find([topic])).has(topic)) return new Map<number, Range>();
    const ends = await cluster.offsetsAt(topic, toMs);
    const found = [...(await cluster.ranges(topic, fromMs))].map(
      ([partition, { startOffset, endOffset }]) => {
        const end = Math.max(startOffset, Math.min(ends.get(partition) ?? endOffset, endOffset));
        return [partition, { startOffset, endOffset: end }] as const;
      },
    );
    return new Map<number, Range>(found);
  });
  const total = [...ranges.values()].reduce(
    (sum, { startOffset, endOffset }) => sum + endOffset - startOffset,
    0,
  );
  if (total === 0) return;
  let read = 0;
  const counted = (record: Incoming): void | Promise<void> => {
    onProgress({ read: (read += 1), total });
    return take(record);
  };
  await explainOutage(
    config,
    scanRanges({ services, signal }, { topic, purpose: "doubt", ranges }, counted),
    signal,
  );
};

const findCommand = async (
  connections: Connections,
  { commandId, claimedAtMs }: Doubt,
  onProgress: OnProgress,
  signal: AbortSignal,
): Promise<DoubtFacts["command"]> => {
  const { config, services } = connections;
  const topic = config.topics.commands;
  const { purposes, currencies } = config.partner;
  const read = readCommand({ check: checkFor({ purposes, currencies }), decode: commandDecoder(services) });
  const needle = Buffer.from(commandId);
  let found: DoubtFacts["command"] = null;
  const take = async (record: Incoming): Promise<void> => {
    if (found !== null || record.value?.includes(needle) !== true) return;
    const checked = await read(record.value, record.timestampMs);
    if (!checked.ok || checked.command.commandId !== commandId) return;
    const { request, issuedAt, expiresAt } = checked.command;
    if (request.type !== "AcceptQuote") return;
    const { amount, counterpartyId } = request;
    found = {
      amount,
      counterpartyId,
      issuedAtMs: issuedAt,
      expiresAtMs: expiresAt,
      place: placeText(topic, record),
    };
  };
  const fromMs = claimedAtMs - config.commands.maxAgeMs - SKEW_MS;
  await scanBetween(connections, { topic, fromMs, toMs: claimedAtMs + SKEW_MS }, take, onProgress, signal);
  return found;
};

/** The transactions that results name. */
const namedTransactions = async (
  connections: Connections,
  period: { fromMs: number; toMs: number },
  onProgress: OnProgress,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> => {
  const { registry, clock } = connections.services;
  const decode = decoder<CommandResult>(readSchema("command-result"), registry, clock.monotonic);
  const named = new Set<string>();
  const take = async ({ value }: Incoming): Promise<void> => {
    const decoded = value && (await decode(value));
    if (decoded?.ok && decoded.value.transactionId !== null) named.add(decoded.value.transactionId);
  };
  await scanBetween(
    connections,
    { topic: connections.config.topics.results, ...period },
    take,
    onProgress,
    signal,
  );
  return named;
};

const begunTransactions = async (
  connections: Connections,
  claimedAtMs: number,
  onProgress: OnProgress,
  signal: AbortSignal,
): Promise<BegunTransaction[]> => {
  const { registry, clock } = connections.services;
  const decode = decoder<TransactionStatusUpdated>(
    readSchema("transaction-status-updated"),
    registry,
    clock.monotonic,
  );
  const earlier = new Set<string>();
  const begun = new Map<string, BegunTransaction>();
  const take = async ({ key, value, timestampMs }: Incoming): Promise<void> => {
    const transactionId = key?.toString("utf8") ?? "";
    if (timestampMs < claimedAtMs) earlier.add(transactionId);
    if (value === null || earlier.has(transactionId)) return;
    const decoded = await decode(value);
    if (!decoded.ok) return;
    const { status } = decoded.value;
    const known = begun.get(transactionId) ?? { transactionId, firstStatus: status, firstAtMs: timestampMs };
    begun.set(transactionId, { ...known, lastStatus: status });
  };
  const topic = connections.config.topics.transactionStatus;
  const period = { topic, fromMs: claimedAtMs - BEFORE_MS, toMs: claimedAtMs + AFTER_MS };
  await scanBetween(connections, period, take, onProgress, signal);
  return [...begun.values()].sort((a, b) => a.firstAtMs - b.firstAtMs);
};

/**
 * Finds the command of a doubt, and the transactions that began in the hour after its claim and that no result names:
 * one of them may be what the partner made of it.
 */
export const doubtFacts = async (
  connections: Connections,
  doubt: Doubt,
  onProgress: OnProgress,
  signal: AbortSignal,
): Promise<DoubtFacts> => {
  const { claimedAtMs } = doubt;
  const period = { fromMs: claimedAtMs - BEFORE_MS, toMs: claimedAtMs + 2 * AFTER_MS };
  const command = await findCommand(connections, doubt, onProgress, signal);
  const begun = await begunTransactions(connections, claimedAtMs, onProgress, signal);
  const named = begun.length === 0 ? null : await namedTransactions(connections, period, onProgress, signal);
  const unnamed = begun.filter(({ transactionId }) => named?.has(transactionId) !== true);
  return {
    command,
    transactions: unnamed.slice(0, MAX_SHOWN),
    more: Math.max(0, unnamed.length - MAX_SHOWN),
    sinceMs: claimedAtMs,
    untilMs: Math.min(claimedAtMs + AFTER_MS, connections.services.clock.now()),
  };
};
