import { decoder } from "../../kafka/schema/codec.ts";
import { readSchema } from "../../kafka/schema/schemas.ts";
import type { Incoming } from "../../kafka/record.ts";
import type { CommandResult, TransactionStatusUpdated } from "../../records.ts";
import type { ToolServices } from "../tool-services.ts";
import type { Doubt } from "./doubts.ts";
import { namesOf } from "./texts.ts";

/** A transaction as far as the events topic tells. Null where it holds no event of the transaction. */
export type Transaction = {
  transactionId: string;
  firstStatus: string | null;
  lastStatus: string | null;
  firstAtMs: number | null;
};

/** Why a transaction is thought to be that of a doubt. `pointer`: to the member of the payload that names the doubt. */
export type DoubtEvidence = Transaction &
  ({ kind: "event"; pointer: string; text: string } | { kind: "answer" });

/** The clocks of replicas may differ from the brokers' by so much. */
const SKEW_MS = 60_000;
/** Bounds memory. Those that began first are kept. */
const MAX_TRANSACTIONS = 100_000;
/** How many are kept for each doubt. */
const MAX_CANDIDATES = 20;
const MAX_EVIDENCE = 5;

/** The index of the first item for which it is true. From there on it is true for all. */
const firstIndex = <T>(items: readonly T[], isTrue: (item: T) => boolean): number => {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = items[middle];
    if (item !== undefined && isTrue(item)) high = middle;
    else low = middle + 1;
  }
  return low;
};

type Begun = Transaction & {
  firstStatus: string;
  lastStatus: string;
  firstAtMs: number;
  commandId: string | null;
};

const transactionOf = ({ transactionId, firstStatus, lastStatus, firstAtMs }: Transaction): Transaction => ({
  transactionId,
  firstStatus,
  lastStatus,
  firstAtMs,
});

/** Learns from events and results which transactions may be what the partner made of these doubts. */
export const learnTransactions = (services: ToolServices, doubts: readonly Doubt[]) => {
  const decodeEvent = decoder<TransactionStatusUpdated>(readSchema("transaction-status-updated"), services);
  const findNames = namesOf(doubts);
  const answered = new Set(doubts.map(({ transactionId }) => transactionId));
  const transactions = new Map<string, Begun>();
  const evidence = new Map<Doubt, Map<string, { pointer: string; text: string }>>();
  let isCut = false;

  const evidenceOf = (doubt: Doubt): DoubtEvidence[] => {
    const none = { firstStatus: null, lastStatus: null, firstAtMs: null };
    const about = (transactionId: string): Transaction =>
      transactionOf(transactions.get(transactionId) ?? { transactionId, ...none });
    const beganAtMs = (transactionId: string): number => transactions.get(transactionId)?.firstAtMs ?? 0;
    // Partitions are read side by side: the oldest comes first, whichever was read first.
    const events = [...(evidence.get(doubt) ?? [])]
      .sort(([one], [other]) => beganAtMs(one) - beganAtMs(other))
      .map(([transactionId, where]) => ({ kind: "event", ...where, ...about(transactionId) }) as const);
    const { transactionId } = doubt;
    return transactionId === null ? events : [...events, { kind: "answer", ...about(transactionId) }];
  };

  return {
    takeEvent: async ({ value, timestampMs }: Incoming): Promise<void> => {
      const decoded = value && (await decodeEvent(value));
      if (!decoded?.ok) return;
      const { transactionId, status, payload } = decoded.value;
      const names = findNames(payload);
      for (const { doubt, pointer, text } of names) {
        const places = evidence.get(doubt) ?? new Map<string, { pointer: string; text: string }>();
        evidence.set(doubt, places);
        if (places.size < MAX_EVIDENCE && !places.has(transactionId))
          places.set(transactionId, { pointer, text });
      }
      const transaction = transactions.get(transactionId);
      if (transaction) transaction.lastStatus = status;
      else if (transactions.size < MAX_TRANSACTIONS || names.length > 0 || answered.has(transactionId)) {
        const ends = { firstStatus: status, lastStatus: status, firstAtMs: timestampMs };
        transactions.set(transactionId, { transactionId, ...ends, commandId: null });
      } else isCut = true;
    },
    takeResult: ({ transactionId, commandId }: CommandResult): void => {
      const transaction = transactions.get(transactionId ?? "");
      if (transaction) transaction.commandId ??= commandId;
    },
    /** What is known of each doubt, when all is read. */
    conclude: () => {
      const unexplained = [...transactions.values()]
        .filter(({ commandId }) => commandId === null)
        .sort((a, b) => a.firstAtMs - b.firstAtMs);
      return doubts.map((doubt) => {
        const proofs = evidenceOf(doubt);
        const sinceMs = doubt.claimedAtMs - SKEW_MS;
        const first = firstIndex(unexplained, ({ firstAtMs }) => firstAtMs >= sinceMs);
        const isProof = (id: string): boolean => proofs.some(({ transactionId }) => transactionId === id);
        const nearest = unexplained.slice(first, first + MAX_CANDIDATES);
        return {
          doubt,
          evidence: proofs,
          candidates: nearest.map(transactionOf).filter(({ transactionId }) => !isProof(transactionId)),
          more: unexplained.length - first - nearest.length,
          isCut,
          sinceMs,
        };
      });
    },
  };
};
