import { expect, it } from "vitest";
import { correctTally } from "../support/accept-tally.ts";
import { commandsUnderFault } from "../support/commands-under-fault.ts";

const ACCEPTS = 20;

const bodies = [
  { name: "slow", rule: { kind: "slow-body", ms: 500 }, whole: true },
  { name: "slower than a call may be", rule: { kind: "slow-body", ms: 20_000 }, whole: false },
  { name: "cut off", rule: { kind: "cut-body" }, whole: false },
] as const;

it.each(bodies)("believes the status line of an answer whose body is $name", async ({ rule, whole }) => {
  const { world, accepts } = await commandsUnderFault({ replicas: 1 });
  await world.sandbox("/_sandbox/faults", { operation: "accept", ...rule });
  await accepts.send(ACCEPTS);
  const account = await accepts.settle(30_000);

  expect(account).toMatchObject({ ...correctTally(ACCEPTS), succeeded: ACCEPTS });
  for (const [result] of accepts.results.values()) expect(result?.response !== null).toBe(whole);
});
