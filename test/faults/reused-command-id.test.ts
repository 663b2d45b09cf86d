import { afterEach, expect, it } from "vitest";
import { sendAccepts, messageOf } from "../support/accepts.ts";
import { flawless } from "../support/account.ts";
import { sharedCluster } from "../support/cluster.ts";
import { commandsWorld } from "../support/commands-world.ts";
import { eventually } from "../support/eventually.ts";
import { readTopic } from "../support/topic.ts";
import type { World } from "../support/world.ts";

let world: World | undefined;
afterEach(async () => world?.close());

it("parks other content under a used commandId, without a call and without a second result", async () => {
  const opened = await commandsWorld(sharedCluster(), { replicas: 2, partnerMs: 300 });
  world = opened.world;
  const books = await sendAccepts(world, opened.brokers);
  const earlier = { commandId: "c-earlier", quoteId: "q-earlier", key: "q-earlier" };
  const atOnce = { commandId: "c-at-once", quoteId: "q-at-once", key: "q-at-once" };
  await books.submit([earlier]);
  await eventually(() => books.answered() === 1, "the first result", 30_000);
  // One comes long after the first was answered, the other while it is under way, from another partition.
  const reused = [earlier, atOnce].map((accept) => ({ ...accept, key: "other", counterpartyId: "cp-2" }));
  await books.submit([atOnce, ...reused]);
  const account = await books.settle(30_000);
  const dead = await readTopic(opened.brokers, world.topics.deadLetters);
  await books.stop();

  expect(account).toMatchObject({ ...flawless(2), succeeded: 2, committed: 4 });
  for (const list of books.results.values()) expect(list).toHaveLength(1);
  expect(dead.map(({ headers }) => String(headers?.["dead-letter-reason"]))).toEqual([
    "COMMAND_ID_REUSED",
    "COMMAND_ID_REUSED",
  ]);
  // Of the two that came at once either may have been the first.
  const candidates = [atOnce, ...reused].map((accept) => messageOf(accept).value);
  for (const { value } of dead) expect(candidates).toContain(value?.toString());
  expect(dead.map(({ value }) => value?.toString())).toContain(candidates[1]);
});
