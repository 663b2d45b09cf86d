import type { TransactionStatusUpdated } from "../records.ts";
import { digestOf, type Digest } from "../runtime/digest.ts";
import { DigestTable, keyOf } from "./digest-table.ts";
import { factsWith, mergedFacts, NO_FACTS, packFacts, unpackFacts } from "./transaction-facts.ts";
import type { TransactionFacts } from "./transaction-facts.ts";

/** What the deduplication window keeps of an event. */
export type WindowEvent = Pick<TransactionStatusUpdated, "eventId" | "direction" | "occurredAt"> & {
  /** See {@link eventIdentity}. */
  identity: Digest;
  /** The digest of the transactionId. */
  transaction: Digest;
};

/** What tells one notification from another. */
export type StatusChange = Pick<
  TransactionStatusUpdated,
  "transactionId" | "status" | "createdAt" | "occurredAt"
>;

/**
 * Returns the digest of transaction, status and instant, which is equal for two copies of one notification. The instant
 * counts, not its spelling. If createdAt cannot be read as an instant, its text is used.
 */
export const eventIdentity = ({ transactionId, status, createdAt, occurredAt }: StatusChange): Digest =>
  digestOf(`${transactionId}\n${status}\n${occurredAt ?? `text ${createdAt}`}`);

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
 * A map from digests to numbers whose entries expire by age. Its tables never grow; the operating system allocates
 * their memory as it is written to. Only the newest of its parts is written to: when that is full, or its time is
 * over, the oldest part is emptied and becomes the newest.
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

  const begin = (atMs: number): void => {
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
      else if (newest.table.isFull || atMs > newest.openedAtMs + windowMs * SHARE_OF_WINDOW) begin(atMs);
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
 * The deduplication window: the identities of the events that were published in the last `windowMs`, and the
 * facts about their transactions.
 *
 * Memory, for ten million transactions a day with six statuses each: 700 events a second, 5 million in two
 * hours.
 *   event        9 bytes a slot, at most 85 % of the slots used: 10.6 bytes
 *   transaction  16 bytes a slot: 18.8 bytes, in each part of the window in which it had an event
 *                (at that rate a part lasts 17 minutes)
 * With 90 MB, three quarters hold 6.3 million events, and still 5.5 million just after the oldest part was
 * emptied. The rest holds 1.2 million transactions, and the two hours have 833,000. When the memory does not
 * suffice, the oldest entries go first. A transaction that is gone has `direction` UNKNOWN and `outOfOrder`
 * false in its next event; an event that is gone can be published a second time.
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

  /** Whether the window holds the event with this identity. */
  const has = (identity: Digest, nowMs: number): boolean => events.get(identity, nowMs) !== undefined;
  const factsOf = (transaction: Digest, nowMs: number): TransactionFacts => {
    const facts = transactions.get(transaction, nowMs);
    return facts === undefined ? NO_FACTS : unpackFacts(facts);
  };
  /**
   * Adds an event that was published at `atMs` and is not in the window.
   * @param facts what was known of its transaction before it was published
   */
  const add = (event: WindowEvent, facts: TransactionFacts, atMs: number): void => {
    if (newestIds.size >= NEWEST_IDS) [earlierIds, newestIds] = [newestIds, new Map<Digest, string>()];
    newestIds.set(event.identity, event.eventId);
    events.add(event.identity, 1, atMs);
    transactions.add(event.transaction, packFacts(factsWith(facts, event)), atMs);
  };

  return {
    add,
    /** Adds an event that may be in the window already. */
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
