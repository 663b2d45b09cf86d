import { afterEach, expect, it } from "vitest";
import { setTimeout as sleep } from "node:timers/promises";
import { flawless } from "../support/account.ts";
import { sendAccepts } from "../support/accepts.ts";
import { sharedCluster } from "../support/cluster.ts";
import { commandsWorld } from "../support/commands-world.ts";
import type { World } from "../support/world.ts";

const ACCEPTS = 600;
const CHANGES = 8;
const EVERY_MS = 1_000;

let world: World | undefined;
afterEach(async () => world?.close());

it("doubts nothing while replicas join and leave in good order", async () => {
  const opened = await commandsWorld(sharedCluster(), { replicas: 2, partnerMs: 20 });
  const { replicas } = opened;
  world = opened.world;
  const books = await sendAccepts(world, opened.brokers);
  const exits: Promise<number>[] = [];
  for (let change = 0; change < CHANGES; change++) {
    await books.send(ACCEPTS / CHANGES);
    if (change % 2 === 0) replicas.push(await world.startReplica());
    else {
      const leaving = replicas.shift()!;
      leaving.process.signal("SIGTERM");
      exits.push(leaving.process.exited());
    }
    // It is the pace of the hazard, not a wait for anything.
    await sleep(EVERY_MS);
  }
  const account = await books.settle(90_000);
  await books.stop();

  expect(account).toMatchObject({ ...flawless(ACCEPTS), succeeded: ACCEPTS, inDoubt: 0 });
  expect(await Promise.all(exits)).toEqual(exits.map(() => 0));
});
