import type { TransactionStatusUpdated } from "../records.ts";
import { digestOf, type Digest } from "../runtime/digest.ts";
import { DigestTable, keyOf } from "./digest-table.ts";
import { factsWith, mergedFacts, NO_FACTS, packFacts, unpackFacts } from "./transaction-facts.ts";
import type { TransactionFacts } from "./transaction-facts.ts";

/** What the deduplication window keeps of an event. */
export type WindowEvent = Pick<TransactionStatusUpdated, "eventId" | "direction" | "occurredAt"> & {
  /** See {@link eventIdentity}. */
  identity: Digest;
  transaction: Digest;
};

export type StatusChange = Pick<
  TransactionStatusUpdated,
  "transactionId" | "status" | "createdAt" | "occurredAt"
>;

/** Equal for two copies of one notification: the instant counts, not its spelling; without one, createdAt's text. */
export const eventIdentity = ({ transactionId, status, createdAt, occurredAt }: StatusChange): Digest =>
  digestOf(`${transactionId}\n${status}\n${occurredAt ?? `text ${createdAt}`}`);

/** The events' share of the memory. The rest is for the facts about transactions. */
const SHARE_OF_EVENTS = 0.75;
/** Fewer parts make look-ups faster; with more of them less is lost when the oldest is emptied. */
const PARTS = 8;
/** A part covers a quarter of the window, so a digest may be kept for a quarter of the window too long. */
const SHARE_OF_WINDOW = 1 / 4;
const BYTES_OF_KEY = 8;
/** The smallest table: even when it is full it must have a free slot, where a search ends. */
const FEWEST_SLOTS = 8;

type Part = { table: DigestTable; openedAtMs: number; newestAtMs: number };

/**
 * Entries expire by age. Only the newest part is written to: when it is full or too old, the oldest is emptied.
 * @param combine makes one number of those of a digest
 */
const recentDigests = (
  { windowMs, maxBytes }: { windowMs: number; maxBytes: number },
  numbers: typeof Uint8Array | typeof Float64Array,
  combine: (earlier: number, later: number) => number,
) => {
  const bytesOfSlot = BYTES_OF_KEY + numbers.BYTES_PER_ELEMENT;
  const slots = Math.max(FEWEST_SLOTS, Math.floor(maxBytes / PARTS / bytesOfSlot));
  const emptyPart = (): Part => ({ table: new DigestTable(numbers, slots), openedAtMs: 0, newestAtMs: 0 });
  let newest = emptyPart();
  /** Newest first. */
  const parts = [newest, ...Array.from({ length: PARTS - 1 }, emptyPart)];

  const openPart = (atMs: number): void => {
    const openedAtMs = Math.max(atMs, newest.openedAtMs);
    newest = parts.pop() ?? newest;
    parts.unshift(newest);
    newest.table.clear();
    newest.openedAtMs = openedAtMs;
    newest.newestAtMs = atMs;
  };

  return {
    /** Combines all numbers of a digest; undefined for one that was not added within the window. */
    get: (digest: Digest, nowMs: number): number | undefined => {
      const key = keyOf(digest);
      let combined: number | undefined;
      for (const { table, newestAtMs } of parts) {
        if (table.count === 0 || newestAtMs + windowMs < nowMs) continue;
        const value = table.get(key);
        if (value !== undefined) combined = combined === undefined ? value : combine(value, combined);
      }
      return combined;
    },
    add: (digest: Digest, value: number, atMs: number): void => {
      // Records of several partitions are not in the order of their times: only a later time can end a part.
      if (newest.table.count === 0) newest.openedAtMs = newest.newestAtMs = atMs;
      else if (newest.table.isFull || atMs > newest.openedAtMs + windowMs * SHARE_OF_WINDOW) openPart(atMs);
      newest.newestAtMs = Math.max(newest.newestAtMs, atMs);
      const key = keyOf(digest);
      const earlier = newest.table.get(key);
      newest.table.set(key, earlier === undefined ? value : combine(earlier, value));
    },
  };
};

/** Between this and twice as many eventIds are kept, which take 5 MB at most. */
const NEWEST_IDS = 10_000;

/**
 * Remembers the events of the last `windowMs`, and facts about their transactions. For ten million transactions a day
 * with six statuses each, two hours have 5 million events of 10.6 bytes and 833,000 transactions of 18.8 bytes a part:
 * 90 MB hold 5.5 million and 1.2 million. When memory does not suffice, the oldest entries go first: an event that is
 * gone can be published twice, a transaction has `direction` UNKNOWN and `outOfOrder` false in its next event.
 */
export const eventWindow = ({ windowMs, maxBytes }: { windowMs: number; maxBytes: number }) => {
  const eventBytes = Math.floor(maxBytes * SHARE_OF_EVENTS);
  const events = recentDigests({ windowMs, maxBytes: eventBytes }, Uint8Array, () => 1);
  const transactions = recentDigests(
    { windowMs, maxBytes: maxBytes - eventBytes },
    Float64Array,
    (earlier, later) => packFacts(mergedFacts(unpackFacts(earlier), unpackFacts(later))),
  );
  let newestIds = new Map<Digest, string>();
  let earlierIds = newestIds;

  const has = (identity: Digest, nowMs: number): boolean => events.get(identity, nowMs) !== undefined;
  const factsOf = (transaction: Digest, nowMs: number): TransactionFacts => {
    const facts = transactions.get(transaction, nowMs);
    return facts === undefined ? NO_FACTS : unpackFacts(facts);
  };
  /** @param facts what was known of the transaction before this event, which is not in the window */
  const add = (event: WindowEvent, facts: TransactionFacts, atMs: number): void => {
    if (newestIds.size >= NEWEST_IDS) [earlierIds, newestIds] = [newestIds, new Map<Digest, string>()];
    newestIds.set(event.identity, event.eventId);
    events.add(event.identity, 1, atMs);
    transactions.add(event.transaction, packFacts(factsWith(facts, event)), atMs);
  };

  return {
    add,
    addIfNew: (event: WindowEvent, atMs: number): void => {
      if (!has(event.identity, atMs)) add(event, factsOf(event.transaction, atMs), atMs);
    },
    has,
    /** Returns the eventId under which a notification was first published; undefined where it is not among the newest. */
    newestIdOf: (identity: Digest): string | undefined => newestIds.get(identity) ?? earlierIds.get(identity),
    factsOf,
  };
};

export type EventWindow = ReturnType<typeof eventWindow>;
