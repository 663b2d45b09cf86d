import { expect, test } from "vitest";
import { digestOf, type Digest } from "../../../src/runtime/digest.ts";
import { eventWindow } from "../../../src/notification/event-window.ts";
import type { WindowEvent } from "../../../src/notification/event-window.ts";

const HOUR_MS = 3_600_000;
const START_MS = Date.parse("2026-11-21T12:00:00Z");

const identityFor = (n: number): Digest => digestOf(`event ${n}`);
const eventIdFor = (n: number): string => n.toString(16).padStart(4, "0");
const TX = digestOf("tx");
const event = (n: number, changes: Partial<WindowEvent> = {}): WindowEvent => ({
  eventId: eventIdFor(n),
  identity: identityFor(n),
  transaction: digestOf(`tx-${n}`),
  direction: "UNKNOWN",
  occurredAt: null,
  ...changes,
});
const windowOf = (maxBytes = 10_000_000) => eventWindow({ windowMs: 2 * HOUR_MS, maxBytes });

test("an event is seen from its note on until the window has passed, and no more a quarter of the window later", () => {
  const window = windowOf();
  expect(window.has(identityFor(1), START_MS)).toBe(false);
  window.addIfNew(event(1), START_MS);
  expect(window.has(identityFor(1), START_MS)).toBe(true);
  expect(window.has(identityFor(1), START_MS + 2 * HOUR_MS)).toBe(true);
  expect(window.has(identityFor(2), START_MS)).toBe(false);
  for (let n = 2; n < 100; n++) window.addIfNew(event(n), START_MS + n * 60_000);
  expect(window.has(identityFor(1), START_MS + 2.5 * HOUR_MS + 1)).toBe(false);
});

test("all of a hundred thousand events are seen, and none of a hundred thousand others", () => {
  const window = windowOf();
  for (let n = 0; n < 100_000; n++) window.addIfNew(event(n), START_MS + n);
  const seen = (from: number) =>
    Array.from({ length: 100_000 }, (_, i) => window.has(identityFor(from + i), START_MS + 100_000)).filter(
      Boolean,
    );
  expect(seen(0)).toHaveLength(100_000);
  expect(seen(100_000)).toHaveLength(0);
});

test("a transaction is known by its proven direction and its latest instant, whatever the order they come in", () => {
  const window = windowOf();
  expect(window.factsOf(TX, START_MS)).toEqual({ direction: "UNKNOWN", latestOccurredAt: null });
  window.addIfNew(event(1, { transaction: TX, direction: "INBOUND", occurredAt: START_MS }), START_MS);
  window.addIfNew(event(2, { transaction: TX, occurredAt: START_MS - 1 }), START_MS + 1);
  window.addIfNew(event(3, { transaction: TX }), START_MS + 2);
  expect(window.factsOf(TX, START_MS)).toEqual({ direction: "INBOUND", latestOccurredAt: START_MS });
  expect(window.factsOf(digestOf("ty"), START_MS)).toEqual({ direction: "UNKNOWN", latestOccurredAt: null });
});

test("what is known of a transaction lives on while its events keep coming", () => {
  const window = windowOf();
  const at = (hours: number) => START_MS + hours * HOUR_MS;
  window.addIfNew(event(0, { transaction: TX, direction: "OUTBOUND", occurredAt: at(0) }), at(0));
  window.addIfNew(event(1, { transaction: TX }), at(1.5));
  window.addIfNew(event(2, { transaction: TX }), at(3));
  expect(window.factsOf(TX, at(4.9))).toEqual({ direction: "OUTBOUND", latestOccurredAt: at(0) });
  expect(window.factsOf(TX, at(5.6)).direction).toBe("UNKNOWN");
});

test.each(["0000-01-01T00:00:00Z", "1969-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"])(
  "any instant is kept, to the millisecond: %s",
  (text) => {
    const window = windowOf();
    const occurredAt = Date.parse(text);
    for (const [n, direction] of (["UNKNOWN", "INBOUND", "OUTBOUND"] as const).entries()) {
      window.addIfNew(event(n, { direction, occurredAt }), START_MS);
      expect(window.factsOf(digestOf(`tx-${n}`), START_MS)).toEqual({
        direction,
        latestOccurredAt: occurredAt,
      });
    }
  },
);

test("the oldest go first where the memory does not suffice, and no more than must", () => {
  const window = windowOf(250_000);
  for (let n = 0; n < 50_000; n++) window.addIfNew(event(n), START_MS);
  const seen = Array.from({ length: 50_000 }, (_, n) => window.has(identityFor(n), START_MS));
  // Between seven and eight parts of the 187,500 bytes for ids, 85 % used, 9 bytes a slot.
  const from = seen.indexOf(true);
  expect(50_000 - from).toBeGreaterThan(15_400);
  expect(50_000 - from).toBeLessThan(17_750);
  expect(seen.slice(from)).not.toContain(false);
});

test("the eventIds of the newest events are known", () => {
  const window = windowOf();
  window.addIfNew(event(1), START_MS);
  expect(window.newestIdOf(identityFor(1))).toBe(eventIdFor(1));
  for (let n = 10; n < 30_010; n++) window.addIfNew(event(n), START_MS);
  expect(window.newestIdOf(identityFor(1))).toBeUndefined();
});

test("partitions that are read at different times do not begin a part for each record", () => {
  const window = windowOf();
  for (let n = 0; n < 3_000; n++)
    window.addIfNew(event(n), n % 2 === 0 ? START_MS - 1.9 * HOUR_MS + n : START_MS + n);
  for (let n = 0; n < 3_000; n++) expect(window.has(identityFor(n), START_MS)).toBe(true);
});

test("partitions that are read one after the other, each from two hours ago, leave nothing out", () => {
  const window = windowOf(250_000);
  // Five of eight parts of the 187,500 bytes for ids: they fill up in the middle of partitions.
  const [partitions, events] = [6, 1_600];
  for (let n = 0; n < partitions * events; n++)
    window.addIfNew(event(n), START_MS - 2 * HOUR_MS + ((n % events) / events) * 2 * HOUR_MS);
  const seen = Array.from({ length: partitions * events }, (_, n) => window.has(identityFor(n), START_MS));
  expect(seen.filter((each) => !each)).toEqual([]);
});

test("events of one transaction that were in flight together are all remembered, also in different parts", () => {
  const window = windowOf();
  const before = window.factsOf(TX, START_MS);
  const add = (n: number, changes: Partial<WindowEvent>, atMs: number) =>
    window.add(event(n, { transaction: TX, ...changes }), before, atMs);
  add(1, { direction: "OUTBOUND", occurredAt: START_MS }, START_MS);
  add(2, { occurredAt: START_MS + 5 }, START_MS);
  add(3, { occurredAt: START_MS + 3 }, START_MS + HOUR_MS);
  expect(window.factsOf(TX, START_MS + HOUR_MS)).toEqual({
    direction: "OUTBOUND",
    latestOccurredAt: START_MS + 5,
  });
});
