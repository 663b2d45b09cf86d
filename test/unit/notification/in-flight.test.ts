import { expect, test } from "vitest";
import { InFlight } from "../../../src/notification/in-flight.ts";

const entry = (
  identity: string,
  occurredAt: number | null,
  direction: "UNKNOWN" | "INBOUND" = "UNKNOWN",
) => ({
  identity,
  event: { transactionId: "tx", direction, occurredAt },
  published: Promise.resolve(1),
});
const NOTHING = { direction: "UNKNOWN", latestOccurredAt: null } as const;

test("an event is found until it is removed, and no other one", () => {
  const inFlight = new InFlight<number>();
  const a = entry("a", null);
  inFlight.add(a);
  expect(inFlight.find("tx", "a")).toBe(a.published);
  expect(inFlight.find("tx", "b")).toBeUndefined();
  expect(inFlight.find("other", "a")).toBeUndefined();
  inFlight.remove("tx", "b");
  expect(inFlight.find("tx", "a")).toBe(a.published);
  inFlight.remove("tx", "a");
  expect(inFlight.find("tx", "a")).toBeUndefined();
});

test("a transaction is known by what was known before and by all that is in flight", () => {
  const inFlight = new InFlight<number>();
  const [early, late] = [entry("early", 1, "INBOUND"), entry("late", 3)];
  inFlight.add(late);
  inFlight.add(early);
  expect(inFlight.factsOf("tx", NOTHING)).toEqual({ direction: "INBOUND", latestOccurredAt: 3 });
  expect(inFlight.factsOf("tx", { direction: "OUTBOUND", latestOccurredAt: 5 })).toEqual({
    direction: "INBOUND",
    latestOccurredAt: 5,
  });
  expect(inFlight.factsOf("other", NOTHING)).toEqual(NOTHING);
  inFlight.remove("tx", "late");
  expect(inFlight.factsOf("tx", NOTHING)).toEqual({ direction: "INBOUND", latestOccurredAt: 1 });
  inFlight.remove("tx", "early");
  expect(inFlight.factsOf("tx", NOTHING)).toEqual(NOTHING);
});
