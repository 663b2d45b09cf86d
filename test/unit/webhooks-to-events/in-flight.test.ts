import { expect, test } from "vitest";
import { eventIdOf } from "../../../src/webhooks-to-events/event-id.ts";
import { InFlight } from "../../../src/webhooks-to-events/in-flight.ts";
import { randomFrom } from "../../support/random.ts";

test("what is in flight is found by its id, whatever else comes and goes, in whichever order", () => {
  // Three in a chain, on average.
  const ids = Array.from({ length: 6_000 }, (_, n) =>
    eventIdOf({ transactionId: `${n}`, status: "", createdAt: "" }),
  );
  const inFlight = new InFlight<number>();
  const expected = new Map<string, number>();
  const random = randomFrom(1);
  const differences: unknown[] = [];
  for (let step = 0; step < 60_000; step++) {
    const id = ids[Math.floor(random() * ids.length)]!;
    if (expected.delete(id)) inFlight.remove(id);
    else {
      inFlight.add(id, step);
      expected.set(id, step);
    }
    if (inFlight.find(id) !== expected.get(id)) differences.push([step, id]);
  }
  for (const id of ids) if (inFlight.find(id) !== expected.get(id)) differences.push(id);
  expect(differences).toEqual([]);
  expect(expected.size).toBeGreaterThan(2_000);
});

test("to remove what is not in flight changes nothing", () => {
  const inFlight = new InFlight<number>();
  const [a, b] = ["a", "b"].map((id) => eventIdOf({ transactionId: id, status: "", createdAt: "" })) as [
    string,
    string,
  ];
  inFlight.add(a, 1);
  inFlight.remove(b);
  expect(inFlight.find(a)).toBe(1);
});
