import { afterEach, expect, it } from "vitest";
import { flawless } from "../support/account.ts";
import { sendAccepts } from "../support/accepts.ts";
import { sharedCluster } from "../support/cluster.ts";
import { commandsWorld } from "../support/commands-world.ts";
import { eventually } from "../support/eventually.ts";
import type { World } from "../support/world.ts";

const SHUTDOWN_MS = 10_000;
const HANGING = 5;

let world: World | undefined;
afterEach(async () => world?.close());

it("ends in time with a doubt published for each call that hangs", async () => {
  const opened = await commandsWorld(sharedCluster(), {
    env: { SHUTDOWN_TIMEOUT: `${SHUTDOWN_MS}ms`, PARTNER_CALL_TIMEOUT: "5s" },
    replicas: 1,
  });
  world = opened.world;
  await world.sandbox("/_sandbox/faults", { operation: "accept", kind: "hang", when: "after" });
  const books = await sendAccepts(world, opened.brokers);
  await books.send(HANGING);
  const executions = (): Promise<{ executions: number }> => opened.world.sandbox("/_sandbox/executions");
  await eventually(async () => (await executions()).executions === HANGING, "all calls", 30_000);

  const startedAt = Date.now();
  const [replica] = opened.replicas;
  replica?.process.signal("SIGTERM");
  expect(await replica?.process.exited()).toBe(0);
  expect(Date.now() - startedAt).toBeLessThan(SHUTDOWN_MS);
  const account = await books.settle(10_000);
  await books.stop();
  expect(account).toMatchObject({ ...flawless(HANGING), inDoubt: HANGING });
});
