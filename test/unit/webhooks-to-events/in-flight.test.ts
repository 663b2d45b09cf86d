import { expect, test } from "vitest";
import { InFlight } from "../../../src/webhooks-to-events/in-flight.ts";

const event = (eventId: string, occurredAt: number | null, direction: "UNKNOWN" | "INBOUND" = "UNKNOWN") => ({
  eventId,
  transactionId: "tx",
  direction,
  occurredAt,
});
const NOTHING = { direction: "UNKNOWN", latestOccurredAt: null } as const;

test("an event is found until it is removed, and no other one", () => {
  const inFlight = new InFlight<number>();
  const [a, b] = [event("a", null), event("b", null)];
  const published = Promise.resolve(1);
  inFlight.add(a, published);
  expect(inFlight.find(a)).toBe(published);
  expect(inFlight.find(b)).toBeUndefined();
  inFlight.remove(b);
  expect(inFlight.find(a)).toBe(published);
  inFlight.remove(a);
  expect(inFlight.find(a)).toBeUndefined();
});

test("a transaction is known by what was known before and by all that is in flight", () => {
  const inFlight = new InFlight<number>();
  const [early, late] = [event("early", 1, "INBOUND"), event("late", 3)];
  inFlight.add(late, Promise.resolve(1));
  inFlight.add(early, Promise.resolve(1));
  expect(inFlight.about("tx", NOTHING)).toEqual({ direction: "INBOUND", latestOccurredAt: 3 });
  expect(inFlight.about("tx", { direction: "OUTBOUND", latestOccurredAt: 5 })).toEqual({
    direction: "INBOUND",
    latestOccurredAt: 5,
  });
  expect(inFlight.about("other", NOTHING)).toEqual(NOTHING);
  inFlight.remove(late);
  expect(inFlight.about("tx", NOTHING)).toEqual({ direction: "INBOUND", latestOccurredAt: 1 });
  inFlight.remove(early);
  expect(inFlight.about("tx", NOTHING)).toEqual(NOTHING);
});
