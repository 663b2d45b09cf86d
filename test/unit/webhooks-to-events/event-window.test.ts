import { hash } from "node:crypto";
import { expect, test } from "vitest";
import { digestOfHex, segmentsOf } from "../../../src/webhooks-to-events/digest-segments.ts";
import { eventWindow, type NotedEvent } from "../../../src/webhooks-to-events/event-window.ts";

const HOUR_MS = 3_600_000;
const START_MS = Date.parse("2026-11-21T12:00:00Z");

const eventIdFor = (n: number): string => hash("sha256", `event ${n}`, "hex").slice(0, 32);
const event = (n: number, changes: Partial<NotedEvent> = {}): NotedEvent => ({
  eventId: eventIdFor(n),
  transactionId: `tx-${n}`,
  direction: "UNKNOWN",
  occurredAt: null,
  ...changes,
});
const windowOf = (maxBytes = 10_000_000) => eventWindow({ windowMs: 2 * HOUR_MS, maxBytes });

test("an event is seen from its note on until the window has passed, and no more a quarter of the window later", () => {
  const window = windowOf();
  expect(window.seen(eventIdFor(1), START_MS)).toBe(false);
  window.note(event(1), START_MS);
  expect(window.seen(eventIdFor(1), START_MS)).toBe(true);
  expect(window.seen(eventIdFor(1), START_MS + 2 * HOUR_MS)).toBe(true);
  expect(window.seen(eventIdFor(2), START_MS)).toBe(false);
  for (let n = 2; n < 100; n++) window.note(event(n), START_MS + n * 60_000);
  expect(window.seen(eventIdFor(1), START_MS + 2.5 * HOUR_MS + 1)).toBe(false);
});

test("all of a hundred thousand events are seen, and none of a hundred thousand others", () => {
  const window = windowOf();
  for (let n = 0; n < 100_000; n++) window.note(event(n), START_MS + n);
  const seen = (from: number) =>
    Array.from({ length: 100_000 }, (_, i) => window.seen(eventIdFor(from + i), START_MS + 100_000)).filter(
      Boolean,
    );
  expect(seen(0)).toHaveLength(100_000);
  expect(seen(100_000)).toHaveLength(0);
  expect(window.size()).toMatchObject({ events: 100_000, transactionSlots: 100_000 });
});

test("noting an event again, as when it is read back from the topic, adds nothing", () => {
  const window = windowOf();
  window.note(event(1), START_MS);
  const once = window.size();
  window.note(event(1), START_MS + 10);
  expect(window.size()).toEqual(once);
});

test("a transaction is known by its proven direction and its latest instant, whatever the order they come in", () => {
  const window = windowOf();
  expect(window.about("tx", START_MS).known).toEqual({ direction: "UNKNOWN", latestOccurredAt: null });
  window.note(event(1, { transactionId: "tx", direction: "INBOUND", occurredAt: START_MS }), START_MS);
  window.note(event(2, { transactionId: "tx", occurredAt: START_MS - 1 }), START_MS + 1);
  window.note(event(3, { transactionId: "tx" }), START_MS + 2);
  expect(window.about("tx", START_MS).known).toEqual({ direction: "INBOUND", latestOccurredAt: START_MS });
  expect(window.about("ty", START_MS).known).toEqual({ direction: "UNKNOWN", latestOccurredAt: null });
});

test("a transaction that is recollected is the same as one that is not", () => {
  const window = windowOf();
  const recollection = window.about("tx", START_MS);
  window.note(event(1, { transactionId: "tx", direction: "INBOUND" }), START_MS, recollection);
  window.note(event(2, { transactionId: "tx", occurredAt: START_MS }), START_MS);
  expect(window.about("tx", START_MS).known).toEqual({ direction: "INBOUND", latestOccurredAt: START_MS });
  expect(window.size()).toMatchObject({ events: 2, transactionSlots: 1 });
});

test.each([
  ["in the same segment", 0, [], 0],
  ["before a new segment is begun", 0, [], 1],
  ["before another one began a new segment", 0, [1], 1],
  ["in a new segment", 1, [], 1],
])("what is noted between recollection and note is not forgotten: %s", (_, meanwhile, others, noted) => {
  const window = windowOf();
  const at = (hours: number) => START_MS + hours * HOUR_MS;
  window.note(event(0, { transactionId: "tx", occurredAt: at(0) }), at(-1));
  // Begins a segment: what is known of tx stands in the one before.
  window.note(event(1), at(0));
  const recollection = window.about("tx", at(0));
  window.note(event(2, { transactionId: "tx", direction: "INBOUND", occurredAt: at(2) }), at(meanwhile));
  for (const hours of others) window.note(event(4), at(hours));
  window.note(event(3, { transactionId: "tx", occurredAt: at(1) }), at(noted), recollection);
  expect(window.about("tx", at(noted)).known).toEqual({ direction: "INBOUND", latestOccurredAt: at(2) });
});

test("what is noted between recollection and note is not forgotten: once round all segments", () => {
  const window = windowOf();
  const shares = 8;
  const at = (share: number) => START_MS + share * 0.5 * HOUR_MS + share;
  window.note(event(0), at(0));
  const recollection = window.about("tx", at(0));
  for (let share = 1; share < shares; share++) window.note(event(share), at(share));
  window.note(event(50, { transactionId: "tx", direction: "INBOUND" }), at(shares - 1));
  window.note(event(51), at(shares));
  window.note(event(52, { transactionId: "tx", occurredAt: at(0) }), at(shares), recollection);
  expect(window.about("tx", at(shares)).known).toEqual({ direction: "INBOUND", latestOccurredAt: at(0) });
});

test("what was recollected is noted although it was forgotten meanwhile", () => {
  const window = windowOf();
  const at = (hours: number) => START_MS + hours * HOUR_MS;
  window.note(event(0, { transactionId: "tx", direction: "OUTBOUND" }), at(0));
  const recollection = window.about("tx", at(0));
  window.note(event(1), at(3));
  expect(window.about("tx", at(3)).known.direction).toBe("UNKNOWN");
  window.note(event(2, { transactionId: "tx", occurredAt: at(0) }), at(3), recollection);
  expect(window.about("tx", at(3)).known).toEqual({ direction: "OUTBOUND", latestOccurredAt: at(0) });
});

test("what is known of a transaction lives on while its events keep coming", () => {
  const window = windowOf();
  const at = (hours: number) => START_MS + hours * HOUR_MS;
  window.note(event(0, { transactionId: "tx", direction: "OUTBOUND", occurredAt: at(0) }), at(0));
  window.note(event(1, { transactionId: "tx" }), at(1.5));
  window.note(event(2, { transactionId: "tx" }), at(3));
  expect(window.about("tx", at(4.9)).known).toEqual({ direction: "OUTBOUND", latestOccurredAt: at(0) });
  expect(window.about("tx", at(5.6)).known.direction).toBe("UNKNOWN");
});

test("an instant too old to be kept is not known, one far in the future stays later than now", () => {
  const window = windowOf();
  window.note(event(1, { transactionId: "old", occurredAt: 0 }), START_MS);
  window.note(event(2, { transactionId: "new", occurredAt: Date.parse("2999-01-01T00:00:00Z") }), START_MS);
  expect(window.about("old", START_MS).known.latestOccurredAt).toBeNull();
  expect(window.about("new", START_MS).known.latestOccurredAt).toBeGreaterThan(START_MS + 7 * 24 * HOUR_MS);
});

test("bytes are taken once and stay what they are; the oldest go first", () => {
  const window = windowOf(200_000);
  const { bytes } = window.size();
  expect(bytes).toBeGreaterThan(199_000);
  for (let n = 0; n < 50_000; n++) {
    window.note(event(n), START_MS);
    expect(window.size().bytes).toBe(bytes);
  }
  expect(bytes).toBeLessThanOrEqual(200_000);
  expect(window.seen(eventIdFor(0), START_MS)).toBe(false);
  expect(window.seen(eventIdFor(49_999), START_MS)).toBe(true);
  // Seven of eight segments of the 150,000 bytes for ids, 85 % used, 8 bytes a slot.
  expect(window.size().events).toBeGreaterThan(13_900);
});

test("what a segment held is gone when it is written again", () => {
  const window = windowOf();
  for (let n = 0; n < 50_000; n++) window.note(event(n), START_MS);
  for (let n = 0; n < 20; n++) window.note(event(100_000 + n), START_MS + (3 + n) * HOUR_MS);
  expect(window.size().events).toBe(8);
});

test("partitions that are read at different times do not open a segment for each record", () => {
  const window = windowOf();
  for (let n = 0; n < 3_000; n++)
    window.note(event(n), n % 2 === 0 ? START_MS - 1.9 * HOUR_MS + n : START_MS + n);
  expect(window.seen(eventIdFor(0), START_MS)).toBe(true);
  expect(window.size().events).toBe(3_000);
});

test("partitions that are read one after the other, each from two hours ago, leave nothing out", () => {
  const window = windowOf(200_000);
  // Five of eight segments of the 150,000 bytes for ids: they fill up in the middle of partitions.
  const [partitions, events] = [6, 1_600];
  for (let n = 0; n < partitions * events; n++)
    window.note(event(n), START_MS - 2 * HOUR_MS + ((n % events) / events) * 2 * HOUR_MS);
  const seen = Array.from({ length: partitions * events }, (_, n) => window.seen(eventIdFor(n), START_MS));
  expect(seen.filter((each) => !each)).toEqual([]);
});

test("a digest of zeros is a digest like any other", () => {
  const segments = segmentsOf({ wordsPerSlot: 2, valueBits: 0, windowMs: HOUR_MS, maxBytes: 1_000_000 });
  const zeros = digestOfHex("0".repeat(32));
  expect(segments.find(zeros, START_MS)).toBeNull();
  segments.put(zeros, START_MS);
  expect(segments.find(zeros, START_MS)).not.toBeNull();
});
