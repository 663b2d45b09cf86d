import { afterEach, expect, it } from "vitest";
import { flawless } from "../support/account.ts";
import { sendAccepts } from "../support/accepts.ts";
import { sharedCluster } from "../support/cluster.ts";
import { commandsWorld } from "../support/commands-world.ts";
import type { World } from "../support/world.ts";

const ACCEPTS = 20;

let world: World | undefined;
afterEach(async () => world?.close());

const bodies = [
  { name: "slow", rule: { kind: "slow-body", ms: 500 }, whole: true },
  { name: "slower than a call may be", rule: { kind: "slow-body", ms: 20_000 }, whole: false },
  { name: "cut off", rule: { kind: "cut-body" }, whole: false },
] as const;

it.each(bodies)("believes the status line of an answer whose body is $name", async ({ rule, whole }) => {
  const opened = await commandsWorld(sharedCluster(), { replicas: 1 });
  world = opened.world;
  await world.sandbox("/_sandbox/faults", { operation: "accept", ...rule });
  const books = await sendAccepts(world, opened.brokers);
  await books.send(ACCEPTS);
  const account = await books.settle(30_000);
  await books.stop();

  expect(account).toMatchObject({ ...flawless(ACCEPTS), succeeded: ACCEPTS });
  for (const [result] of books.results.values()) expect(result?.response !== null).toBe(whole);
});
