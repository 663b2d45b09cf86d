import { hash } from "node:crypto";
import type { Direction, TransactionStatusUpdated } from "../records.ts";
import { digestOfHex, segmentsOf, type Digest, type Segment } from "./digest-segments.ts";
import type { Known } from "./translate.ts";

/**
 * What this replica remembers of its own topic: the ids of the events of the last `windowMs`, and for each transaction in them
 * the proven direction and the latest occurredAt.
 *
 * The arithmetic. Ten million transactions a day with six statuses each are 700 events a second, 5 million in two hours.
 *   event id     2 words = 8 bytes a slot, at most 85 % of the slots used: 9.4 bytes
 *   transaction  3 words = 12 bytes a slot: 14.1 bytes, in each of the segments (17 minutes at that rate) that it was touched in
 * A `maxBytes` of 72 MB holds 5.9 million ids in 54 MB, and still 5.15 million just after an eighth of them was wiped; and 1.28 million
 * transaction slots in 18 MB, of which 833,000 are one for each transaction of the two hours. When that does not suffice, the oldest go
 * first: of the transactions that costs `direction` and `outOfOrder` of those that were silent for longest (unknown, false), of the ids the
 * shelter from duplicates. An id is forgotten at most a quarter of the window late.
 */
export type EventWindow = {
  /**
   * Remembers a published event. `atMs` is when it was published; noting it again changes nothing.
   * @param recollection what `about` said of its transaction, where the event was not seen either: little has to be looked up again then. An
   * event that was noted all the same meanwhile may take a second place, which does no harm.
   */
  note: (event: NotedEvent, atMs: number, recollection?: Recollection) => void;
  /** Whether the event was published within the window. */
  seen: (eventId: string, nowMs: number) => boolean;
  about: (transactionId: string, nowMs: number) => Recollection;
  size: () => { events: number; transactionSlots: number; bytes: number };
};

/** What is known of a transaction, the digest under which it is, and when that was: so many segments had been begun. */
export type Recollection = { known: Known; digest: Digest; rotations: number };

export type NotedEvent = Pick<
  TransactionStatusUpdated,
  "eventId" | "transactionId" | "direction" | "occurredAt"
>;

export type EventWindowOptions = { windowMs: number; maxBytes: number };

const SHARE_OF_EVENTS = 0.75;
const DIRECTION_BITS = 2;
const DIRECTIONS = ["UNKNOWN", "INBOUND", "OUTBOUND"] as const satisfies readonly Direction[];
const DIRECTION_MASK = (1 << DIRECTION_BITS) - 1;

/** occurredAt is kept as 32 bits of milliseconds, 49.7 days, that begin so long before its segment does. */
const OCCURRED_REACH_BACK_MS = 40 * 86_400_000;
const OCCURRED_MAX = 2 ** 32 - 1;
const NEVER = 0;

const baseOf = (segment: Segment): number => segment.openedAtMs - OCCURRED_REACH_BACK_MS;

/** Too old is as good as not known; too far in the future stays later than anything that is likely to follow. */
const packOccurred = (segment: Segment, occurredAt: number | null): number =>
  occurredAt === null ? NEVER : Math.max(NEVER, Math.min(OCCURRED_MAX, occurredAt - baseOf(segment)));

const read = ({ segment, at }: { segment: Segment; at: number }): Known => {
  const occurred = segment.words[at + 2] ?? NEVER;
  return {
    direction: DIRECTIONS[(segment.words[at + 1] ?? 0) & DIRECTION_MASK] ?? "UNKNOWN",
    latestOccurredAt: occurred === NEVER ? null : baseOf(segment) + occurred,
  };
};

const later = (a: number | null, b: number | null): number | null =>
  a === null ? b : b === null ? a : Math.max(a, b);

const NOTHING: Known = { direction: "UNKNOWN", latestOccurredAt: null };

// Transaction ids may be of any length and follow any pattern; their digest is evenly spread.
const transactionDigest = (transactionId: string): Digest =>
  digestOfHex(hash("sha256", transactionId, "hex"));

export const eventWindow = ({ windowMs, maxBytes }: EventWindowOptions): EventWindow => {
  const eventBytes = Math.floor(maxBytes * SHARE_OF_EVENTS);
  const events = segmentsOf({ wordsPerSlot: 2, valueBits: 0, windowMs, maxBytes: eventBytes });
  const transactions = segmentsOf({
    wordsPerSlot: 3,
    valueBits: DIRECTION_BITS,
    windowMs,
    maxBytes: maxBytes - eventBytes,
  });

  const about = (transactionId: string, nowMs: number): Recollection => {
    const digest = transactionDigest(transactionId);
    const found = transactions.find(digest, nowMs);
    return { known: found === null ? NOTHING : read(found), digest, rotations: transactions.rotations() };
  };

  /** With what was noted since. While no segment was begun, that stands in the newest one, together with all that was known before. */
  const refreshed = ({ known, digest, rotations }: Recollection, atMs: number): Known => {
    const found = transactions.find(digest, atMs, transactions.rotations() === rotations ? 1 : undefined);
    return found === null ? known : read(found);
  };

  const noteTransaction = (event: NotedEvent, atMs: number, recollection: Recollection): void => {
    const known = refreshed(recollection, atMs);
    const direction = event.direction === "UNKNOWN" ? known.direction : event.direction;
    const { segment, at } = transactions.put(recollection.digest, atMs);
    const key = (segment.words[at + 1] ?? 0) & ~DIRECTION_MASK;
    segment.words[at + 1] = key | DIRECTIONS.indexOf(direction);
    segment.words[at + 2] = packOccurred(segment, later(known.latestOccurredAt, event.occurredAt));
  };

  return {
    note: (event, atMs, recollection) => {
      const ofEvent = digestOfHex(event.eventId);
      if (!recollection && events.find(ofEvent, atMs) !== null) return;
      events.put(ofEvent, atMs);
      noteTransaction(event, atMs, recollection ?? about(event.transactionId, atMs));
    },
    seen: (eventId, nowMs) => events.find(digestOfHex(eventId), nowMs) !== null,
    about,
    size: () => ({
      events: events.count(),
      transactionSlots: transactions.count(),
      bytes: events.bytes + transactions.bytes,
    }),
  };
};
