import { afterEach, expect, it } from "vitest";
import { flawless } from "../support/account.ts";
import { sendAccepts } from "../support/accepts.ts";
import { sharedCluster } from "../support/cluster.ts";
import { commandsWorld } from "../support/commands-world.ts";
import { eventually } from "../support/eventually.ts";
import type { World } from "../support/world.ts";

const ACCEPTS = 1_500;
const KILLS = 4;
const IN_FLIGHT = 32;

let world: World | undefined;
afterEach(async () => world?.close());

it("executes no accept twice and answers each one while replicas are killed", async () => {
  const opened = await commandsWorld(sharedCluster(), {
    env: { COMMANDS_MAX_IN_FLIGHT: String(IN_FLIGHT) },
    replicas: 2,
    partnerMs: 20,
  });
  const { brokers, replicas } = opened;
  world = opened.world;
  const accepts = await sendAccepts(world, brokers);
  const sending = accepts.send(ACCEPTS);
  for (let kill = 0; kill < KILLS; kill++) {
    const enough = ((kill + 0.5) * ACCEPTS) / (KILLS + 1);
    await eventually(() => accepts.answered() >= enough, `${enough} to be answered`, 60_000);
    replicas.shift()?.process.signal("SIGKILL");
    replicas.push(await world.startReplica());
  }
  await sending;
  const account = await accepts.settle(90_000);
  await accepts.stop();

  expect(account).toMatchObject(flawless(ACCEPTS));
  expect(account.inDoubt).toBeLessThanOrEqual(KILLS * IN_FLIGHT);
  expect(account.succeeded + account.inDoubt).toBe(ACCEPTS);
});
