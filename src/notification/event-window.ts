import { hash } from "node:crypto";
import type { TransactionStatusUpdated } from "../records.ts";
import { recentDigests } from "./recent-digests.ts";
import { factsWith, NO_FACTS, packFacts, unpackFacts, type TransactionFacts } from "./transaction-facts.ts";

/**
 * The deduplication window: the identities of the events that were published in the last `windowMs`, and the
 * facts about their transactions.
 *
 * Memory, for ten million transactions a day with six statuses each: 700 events a second, 5 million in two
 * hours.
 *   event        8 bytes a slot, at most 85 % of the slots used: 9.4 bytes
 *   transaction  16 bytes a slot: 18.8 bytes, in each part of the window in which it had an event
 *                (at that rate a part lasts 17 minutes)
 * With 72 MB, three quarters hold 5.7 million events, and still 5 million just after the oldest part was
 * emptied. The rest holds 956,000 transactions, and the two hours have 833,000. When the memory does not
 * suffice, the oldest entries go first. A transaction that is gone has `direction` UNKNOWN and `outOfOrder`
 * false in its next event; an event that is gone can be published a second time.
 */
export type EventWindow = {
  /** Adds an event that was published at `atMs`. Idempotent. */
  note: (identity: string, event: WindowEvent, atMs: number) => void;
  /** Whether the window holds the event with this identity (see identity.ts). */
  seen: (identity: string, nowMs: number) => boolean;
  factsOf: (transactionId: string, nowMs: number) => TransactionFacts;
  size: () => { events: number; transactions: number; bytes: number };
};

export type WindowEvent = Pick<TransactionStatusUpdated, "transactionId" | "direction" | "occurredAt">;

export type EventWindowOptions = { windowMs: number; maxBytes: number };

const SHARE_OF_EVENTS = 0.75;
const digestOf = (transactionId: string): string => hash("sha256", transactionId, "hex");

export const eventWindow = ({ windowMs, maxBytes }: EventWindowOptions): EventWindow => {
  const eventBytes = Math.floor(maxBytes * SHARE_OF_EVENTS);
  const events = recentDigests({ windowMs, maxBytes: eventBytes, withValues: false });
  const transactions = recentDigests({ windowMs, maxBytes: maxBytes - eventBytes, withValues: true });

  const about = (digest: string, nowMs: number): TransactionFacts => {
    const value = transactions.get(digest, nowMs);
    return value === undefined ? NO_FACTS : unpackFacts(value);
  };

  return {
    note: (identity, event, atMs) => {
      if (events.get(identity, atMs) !== undefined) return;
      events.set(identity, 0, atMs);
      const transaction = digestOf(event.transactionId);
      transactions.set(transaction, packFacts(factsWith(about(transaction, atMs), event)), atMs);
    },
    seen: (identity, nowMs) => events.get(identity, nowMs) !== undefined,
    factsOf: (transactionId, nowMs) => about(digestOf(transactionId), nowMs),
    size: () => ({
      events: events.count,
      transactions: transactions.count,
      bytes: events.bytes + transactions.bytes,
    }),
  };
};
