import { hash } from "node:crypto";
import type { TransactionStatusUpdated } from "../records.ts";
import { recentDigests } from "./recent-digests.ts";
import { knownWith, NOTHING_KNOWN, packKnown, unpackKnown, type Known } from "./known.ts";

/**
 * What this replica remembers of its own topic: the identities of the events of the last `windowMs`, and for each transaction in them
 * the proven direction and the latest occurredAt.
 *
 * The arithmetic. Ten million transactions a day with six statuses each are 700 events a second, 5 million in two hours.
 *   event        8 bytes a slot, at most 85 % of the slots used: 9.4 bytes
 *   transaction  16 bytes a slot: 18.8 bytes, in each part of the window (17 minutes at that rate) in which it had an event
 * Of 72 MB, three quarters hold 5.7 million events, and still 5 million just after the oldest part was emptied; the rest holds 956,000 transactions,
 * 833,000 of which are one for each transaction of the two hours. When that does not suffice, the oldest go first: of the transactions that costs
 * `direction` and `outOfOrder` of those that were silent for longest (unknown, false), of the events the shelter from duplicates.
 */
export type EventWindow = {
  /** Remembers a published event. `atMs` is when it was published. To note it again does no harm. */
  note: (identity: string, event: NotedEvent, atMs: number) => void;
  /** Whether the notification of this identity (see identity.ts) was published within the window. */
  seen: (identity: string, nowMs: number) => boolean;
  about: (transactionId: string, nowMs: number) => Known;
  size: () => { events: number; transactions: number; bytes: number };
};

export type NotedEvent = Pick<TransactionStatusUpdated, "transactionId" | "direction" | "occurredAt">;

export type EventWindowOptions = { windowMs: number; maxBytes: number };

const SHARE_OF_EVENTS = 0.75;
const digestOf = (transactionId: string): string => hash("sha256", transactionId, "hex");

export const eventWindow = ({ windowMs, maxBytes }: EventWindowOptions): EventWindow => {
  const eventBytes = Math.floor(maxBytes * SHARE_OF_EVENTS);
  const events = recentDigests({ windowMs, maxBytes: eventBytes, withValues: false });
  const transactions = recentDigests({ windowMs, maxBytes: maxBytes - eventBytes, withValues: true });

  const about = (digest: string, nowMs: number): Known => {
    const value = transactions.get(digest, nowMs);
    return value === undefined ? NOTHING_KNOWN : unpackKnown(value);
  };

  return {
    note: (identity, event, atMs) => {
      if (events.get(identity, atMs) !== undefined) return;
      events.set(identity, 0, atMs);
      const transaction = digestOf(event.transactionId);
      transactions.set(transaction, packKnown(knownWith(about(transaction, atMs), event)), atMs);
    },
    seen: (identity, nowMs) => events.get(identity, nowMs) !== undefined,
    about: (transactionId, nowMs) => about(digestOf(transactionId), nowMs),
    size: () => ({
      events: events.count,
      transactions: transactions.count,
      bytes: events.bytes + transactions.bytes,
    }),
  };
};
