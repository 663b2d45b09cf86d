import { expect, it } from "vitest";
import { correctTally } from "../support/accept-tally.ts";
import { commandsUnderFault } from "../support/commands-under-fault.ts";

const ACCEPTS = 120;

const faults = [
  { name: "hang after executing", rule: { kind: "hang", when: "after" }, outcome: "IN_DOUBT" },
  { name: "reset after executing", rule: { kind: "reset", when: "after" }, outcome: "IN_DOUBT" },
  { name: "reset before executing", rule: { kind: "reset", when: "before" }, outcome: "IN_DOUBT" },
  { name: "500 after executing", rule: { kind: "status", when: "after", status: 500 }, outcome: "IN_DOUBT" },
  {
    name: "200 that says that it failed",
    rule: { kind: "status", when: "after", status: 200, body: '{"success":false}' },
    outcome: "IN_DOUBT",
  },
  {
    name: "429",
    rule: { kind: "throttle", retryAfter: "1" },
    outcome: "SUCCEEDED",
  },
  { name: "422", rule: { kind: "status", when: "before", status: 422 }, outcome: "REJECTED" },
] as const;

it.each(faults)("tells the truth when the partner answers with $name", async ({ rule, outcome }) => {
  const { world, accepts } = await commandsUnderFault({
    settings: { PARTNER_BREAKER_FAILURES: "1000" },
    replicas: 1,
  });
  await world.sandbox("/_sandbox/faults", { operation: "accept", count: 20, ...rule });
  await accepts.send(ACCEPTS);
  const account = await accepts.settle(60_000);

  expect(account).toMatchObject(correctTally(ACCEPTS));
  const outcomes = [...accepts.results.values()].map((list) => list.at(-1)?.outcome);
  expect(outcomes.filter((seen) => seen === outcome)).toHaveLength(outcome === "SUCCEEDED" ? ACCEPTS : 20);
  expect(outcomes.filter((seen) => seen === "SUCCEEDED")).toHaveLength(
    outcome === "SUCCEEDED" ? ACCEPTS : ACCEPTS - 20,
  );
});
