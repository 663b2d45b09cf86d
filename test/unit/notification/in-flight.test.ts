import { expect, test } from "vitest";
import type { WindowEvent } from "../../../src/notification/identity.ts";
import { InFlight } from "../../../src/notification/in-flight.ts";
import { digestOf } from "../../../src/runtime/digest.ts";

const TX = digestOf("tx");

const event = (identity: string, changes: Partial<WindowEvent> = {}): WindowEvent => ({
  identity,
  transaction: TX,
  direction: "UNKNOWN",
  occurredAt: null,
  ...changes,
});
const NOTHING = { direction: "UNKNOWN", latestOccurredAt: null } as const;

test("an event is found until it is removed, and no other one", () => {
  const inFlight = new InFlight<number>();
  const published = Promise.resolve(1);
  const a = event("a");
  inFlight.add(a, published);
  expect(inFlight.find(a)).toBe(published);
  expect(inFlight.find(event("b"))).toBeUndefined();
  inFlight.remove(event("b"));
  expect(inFlight.find(a)).toBe(published);
  inFlight.remove(a);
  expect(inFlight.find(a)).toBeUndefined();
});

test("a transaction is known by what was known before and by all that is in flight", () => {
  const inFlight = new InFlight<number>();
  const early = event("early", { occurredAt: 1, direction: "INBOUND" });
  const late = event("late", { occurredAt: 3 });
  for (const each of [late, early]) inFlight.add(each, Promise.resolve(1));
  expect(inFlight.factsOf(TX, NOTHING)).toEqual({ direction: "INBOUND", latestOccurredAt: 3 });
  expect(inFlight.factsOf(TX, { direction: "OUTBOUND", latestOccurredAt: 5 })).toEqual({
    direction: "INBOUND",
    latestOccurredAt: 5,
  });
  expect(inFlight.factsOf(digestOf("other"), NOTHING)).toEqual(NOTHING);
  inFlight.remove(late);
  expect(inFlight.factsOf(TX, NOTHING)).toEqual({ direction: "INBOUND", latestOccurredAt: 1 });
  inFlight.remove(early);
  expect(inFlight.factsOf(TX, NOTHING)).toEqual(NOTHING);
});
