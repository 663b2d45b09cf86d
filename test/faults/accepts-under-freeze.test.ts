import { afterEach, expect, it } from "vitest";
import { flawless } from "../support/account.ts";
import { sendAccepts } from "../support/accepts.ts";
import { sharedCluster } from "../support/cluster.ts";
import { commandsWorld } from "../support/commands-world.ts";
import { eventually } from "../support/eventually.ts";
import type { World } from "../support/world.ts";

const ACCEPTS = 800;
const IN_FLIGHT = 32;

let world: World | undefined;
afterEach(async () => world?.close());

it("lets a frozen replica wake up after its partitions moved without executing anything again", async () => {
  const opened = await commandsWorld(sharedCluster(), {
    env: { COMMANDS_MAX_IN_FLIGHT: String(IN_FLIGHT) },
    replicas: 2,
    partnerMs: 20,
  });
  const { brokers, replicas } = opened;
  world = opened.world;
  const accepts = await sendAccepts(world, brokers);
  const sending = accepts.send(ACCEPTS);
  await eventually(() => accepts.answered() >= ACCEPTS / 8, "an eighth to be answered", 60_000);
  const [sleeper] = replicas;
  sleeper?.process.signal("SIGSTOP");
  await sending;
  // The other one finishes everything: the sleeper's claims too, after waiting for it.
  await eventually(() => accepts.answered() >= ACCEPTS, "the other one to answer all", 90_000);
  sleeper?.process.signal("SIGCONT");
  await eventually(() => sleeper?.isReady() ?? false, "the sleeper to be ready again", 60_000);
  const account = await accepts.settle(90_000);
  await accepts.stop();

  expect(account).toMatchObject(flawless(ACCEPTS));
  expect(account.inDoubt).toBeLessThanOrEqual(IN_FLIGHT);
});
