import { expect, it } from "vitest";
import { messageOf } from "../support/accepts.ts";
import { correctTally } from "../support/accept-tally.ts";
import { commandsUnderFault } from "../support/commands-under-fault.ts";
import { eventually } from "../support/eventually.ts";
import { readTopic } from "../support/follow-topics.ts";

it("parks other content under a used commandId, without a call and without a second result", async () => {
  const { world, accepts } = await commandsUnderFault({ replicas: 2, partnerMs: 300 });
  const earlier = { commandId: "c-earlier", quoteId: "q-earlier", key: "q-earlier" };
  const atOnce = { commandId: "c-at-once", quoteId: "q-at-once", key: "q-at-once" };
  await accepts.submit([earlier]);
  await eventually(() => accepts.answered() === 1, "the first result", 30_000);
  // One comes long after the first was answered, the other while it is under way, from another partition.
  const reused = [earlier, atOnce].map((accept) => ({ ...accept, key: "other", counterpartyId: "cp-2" }));
  await accepts.submit([atOnce, ...reused]);
  const account = await accepts.settle(30_000);
  const dead = await readTopic(world.brokers, world.topics.deadLetters);

  expect(account).toMatchObject({ ...correctTally(2), succeeded: 2, committed: 4 });
  for (const list of accepts.results.values()) expect(list).toHaveLength(1);
  expect(dead.map(({ headers }) => headers["dead-letter-reason"])).toEqual([
    "COMMAND_ID_REUSED",
    "COMMAND_ID_REUSED",
  ]);
  // Of the two that came at once either may have been the first.
  const candidates = [atOnce, ...reused].map((accept) => messageOf(accept).value);
  for (const { value } of dead) expect(candidates).toContain(value?.toString());
  expect(dead.map(({ value }) => value?.toString())).toContain(candidates[1]);
});
