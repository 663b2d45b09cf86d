import { expect, it } from "vitest";
import { correctTally } from "../support/accept-tally.ts";
import { sharedCluster } from "../support/cluster.ts";
import { commandsUnderFault } from "../support/commands-world.ts";
import { eventually } from "../support/eventually.ts";
import { registryProxy } from "../support/registry-proxy.ts";
import { startWebhookLoad } from "../support/webhook-load.ts";
import type { Replica } from "../support/replica.ts";

const ACCEPTS = 200;

/** A world whose way to the registry can be shut. Ends with the test. */
const behindGate = async () => {
  const registry = await registryProxy();
  const { world, replicas, accepts } = await commandsUnderFault({
    cluster: { ...sharedCluster(), schemaRegistryUrl: registry.url },
    settings: { FLOWS: "webhooks,commands" },
    replicas: 1,
  });
  const [replica] = replicas as [Replica];
  return { registry, world, replica, accepts };
};

it("goes on as if nothing were when the registry is gone while it runs", async () => {
  const { registry, world, replica, accepts } = await behindGate();
  const load = startWebhookLoad(replica.webhookUrl, 4);
  world.defer(load.stop);
  await accepts.send(ACCEPTS / 2);
  await eventually(
    () => accepts.answered() > 0 && load.answers.length > 100,
    "both flows to be busy",
    30_000,
  );

  registry.shut();
  const goneAt = Date.now();
  await accepts.send(ACCEPTS / 2);
  await eventually(() => load.since(goneAt).length > 1_000, "a thousand webhooks more", 60_000);
  const account = await accepts.settle(60_000);
  const ready = await replica.isReady();
  const statuses = new Set((await load.stop()).map(({ status }) => status));

  expect([...statuses]).toEqual([200]);
  expect(account).toMatchObject({ ...correctTally(ACCEPTS), succeeded: ACCEPTS });
  expect(ready).toBe(true);
});

const post = async (to: Replica): Promise<number> => {
  const body = JSON.stringify({ transactionId: "tx-1", status: "CANCELED" });
  return (await fetch(to.webhookUrl, { method: "POST", body })).status;
};

it("waits for the registry at the start, says so, and goes on when it is there", async () => {
  const { registry, world } = await behindGate();
  registry.shut();
  const waiting = await world.startReplica();

  await eventually(
    async () => expect((await waiting.components())["start"]?.detail).toContain("SCHEMA_REGISTRY_URL"),
    "readiness to say so",
    30_000,
  );
  await waiting.untilLine(
    (line) => line.includes(`SCHEMA_REGISTRY_URL (${registry.url})`),
    "the log to say so",
  );
  expect(await post(waiting)).toBe(503);
  expect(await waiting.isReady()).toBe(false);

  await registry.open();
  await waiting.untilReady(30_000);
  expect(await post(waiting)).toBe(200);
});

it("ends with 1 and a sentence that names the setting when the registry does not come", async () => {
  const { registry, world } = await behindGate();
  registry.shut();
  const waiting = await world.startReplica();

  expect(await waiting.exited()).toBe(1);
  expect((await waiting.lines()).at(-1)).toMatch(
    /^SCHEMA_REGISTRY_URL \(.*\): the schema registry does not answer: .*ECONNREFUSED/,
  );
});
