import type { Digest } from "../runtime/digest.ts";
import type { WindowEvent } from "./identity.ts";
import { recentDigests } from "./recent-digests.ts";
import {
  factsWith,
  mergedFacts,
  NO_FACTS,
  packFacts,
  unpackFacts,
  type TransactionFacts,
} from "./transaction-facts.ts";

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
  /**
   * Adds an event that was published at `atMs` and is not in the window.
   * @param known the facts about its transaction before it was published
   */
  add: (event: WindowEvent, known: TransactionFacts, atMs: number) => void;
  /** Adds an event that may be in the window already. */
  note: (event: WindowEvent, atMs: number) => void;
  /** Whether the window holds the event with this identity. */
  seen: (identity: Digest, nowMs: number) => boolean;
  factsOf: (transaction: Digest, nowMs: number) => TransactionFacts;
  size: () => { events: number; transactions: number; bytes: number };
};

export type EventWindowOptions = { windowMs: number; maxBytes: number };

const SHARE_OF_EVENTS = 0.75;

export const eventWindow = ({ windowMs, maxBytes }: EventWindowOptions): EventWindow => {
  const eventBytes = Math.floor(maxBytes * SHARE_OF_EVENTS);
  const events = recentDigests({ windowMs, maxBytes: eventBytes, combine: null });
  const transactions = recentDigests({
    windowMs,
    maxBytes: maxBytes - eventBytes,
    combine: (earlier, later) => packFacts(mergedFacts(unpackFacts(earlier), unpackFacts(later))),
  });

  const add: EventWindow["add"] = (event, known, atMs) => {
    events.add(event.identity, 0, atMs);
    transactions.add(event.transaction, packFacts(factsWith(known, event)), atMs);
  };
  const factsOf: EventWindow["factsOf"] = (transaction, nowMs) => {
    const facts = transactions.get(transaction, nowMs);
    return facts === undefined ? NO_FACTS : unpackFacts(facts);
  };

  return {
    add,
    note: (event, atMs) => {
      if (events.get(event.identity, atMs) !== undefined) return;
      add(event, factsOf(event.transaction, atMs), atMs);
    },
    seen: (identity, nowMs) => events.get(identity, nowMs) !== undefined,
    factsOf,
    size: () => ({
      events: events.count,
      transactions: transactions.count,
      bytes: events.bytes + transactions.bytes,
    }),
  };
};
