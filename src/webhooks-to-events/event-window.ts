import { hash } from "node:crypto";
import type { Direction, TransactionStatusUpdated } from "../records.ts";
import { digestOfHex, segmentsOf, type Digest, type Segment } from "./digest-segments.ts";
import type { Known } from "./translate.ts";

/**
 * What this replica remembers of its own topic: the ids of the events of the last `windowMs`, and for each transaction in them
 * the proven direction and the latest occurredAt.
 *
 * The arithmetic. Ten million transactions a day with six statuses each are 700 events a second, 5 million in two hours.
 *   event id     2 words = 8 bytes a slot, at most 80 % of the slots used: 10 bytes
 *   transaction  3 words = 12 bytes a slot: 15 bytes, in each of the segments (a quarter of the window, or less) that it was touched
 *                in: at most one slot for each event, fewer where its statuses follow within minutes
 * A `maxBytes` of 86 MB is the sum: 60 MB in 7 segments hold 6 million ids, and still 5.1 million just after the oldest was
 * dropped; 26 MB hold 1.5 to 1.7 million transaction slots. When that does not suffice, the oldest go first: of the transactions
 * that costs `direction` and `outOfOrder` of those that were silent for longest (unknown, false), of the ids the shelter from
 * duplicates. An id is forgotten at most a quarter of the window late.
 */
export type EventWindow = {
  /** Remembers a published event. `atMs` is when it was published; noting it again changes nothing. */
  note(event: NotedEvent, atMs: number): void;
  /** Whether the event was published within the window. */
  seen(eventId: string, nowMs: number): boolean;
  about(transactionId: string, nowMs: number): Known;
  size(): { events: number; transactionSlots: number; bytes: number };
};

export type NotedEvent = Pick<
  TransactionStatusUpdated,
  "eventId" | "transactionId" | "direction" | "occurredAt"
>;

export type EventWindowOptions = { windowMs: number; maxBytes: number };

const SHARE_OF_EVENTS = 0.7;
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

  const noteTransaction = (event: NotedEvent, atMs: number): void => {
    const digest = transactionDigest(event.transactionId);
    const found = transactions.find(digest, atMs);
    const known = found === null ? NOTHING : read(found);
    const direction = event.direction === "UNKNOWN" ? known.direction : event.direction;
    const { segment, at } = transactions.put(digest, atMs);
    const key = (segment.words[at + 1] ?? 0) & ~DIRECTION_MASK;
    segment.words[at + 1] = key | DIRECTIONS.indexOf(direction);
    segment.words[at + 2] = packOccurred(segment, later(known.latestOccurredAt, event.occurredAt));
  };

  return {
    note: (event, atMs) => {
      const digest = digestOfHex(event.eventId);
      if (events.find(digest, atMs) !== null) return;
      events.put(digest, atMs);
      noteTransaction(event, atMs);
    },
    seen: (eventId, nowMs) => events.find(digestOfHex(eventId), nowMs) !== null,
    about: (transactionId, nowMs) => {
      const found = transactions.find(transactionDigest(transactionId), nowMs);
      return found === null ? NOTHING : read(found);
    },
    size: () => ({
      events: events.count(),
      transactionSlots: transactions.count(),
      bytes: events.bytes() + transactions.bytes(),
    }),
  };
};
