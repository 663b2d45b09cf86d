import { afterEach, beforeEach, expect, inject, it } from "vitest";
import { flawless } from "../support/account.ts";
import { sendAccepts } from "../support/accepts.ts";
import { sharedCluster } from "../support/cluster.ts";
import { commandsWorld } from "../support/commands-world.ts";
import { eventually } from "../support/eventually.ts";
import { gateTo, type Gate } from "../support/gate.ts";
import { startWebhookLoad } from "../support/webhook-load.ts";
import type { Replica, World } from "../support/world.ts";

const ACCEPTS = 200;

let registry: Gate;
let url: string;
let world: World;
let replica: Replica;

beforeEach(async () => {
  const shared = new URL(inject("schemaRegistryUrl"));
  registry = await gateTo(Number(shared.port));
  await registry.open();
  url = `http://127.0.0.1:${registry.port}${shared.pathname}`;
  const opened = await commandsWorld(
    { ...sharedCluster(), schemaRegistryUrl: url },
    { env: { FLOWS: "webhooks,commands" }, replicas: 1 },
  );
  world = opened.world;
  [replica] = opened.replicas as [Replica];
}, 90_000);
afterEach(async () => {
  await world.close();
  await registry.shut();
});

it("goes on as if nothing were when the registry is gone while it runs", async () => {
  const brokers = sharedCluster().kafkaBrokers;
  const load = startWebhookLoad(replica.webhookUrl, 4);
  const accepts = await sendAccepts(world, brokers);
  await accepts.send(ACCEPTS / 2);
  await eventually(
    () => accepts.answered() > 0 && load.answers.length > 100,
    "both flows to be busy",
    30_000,
  );

  await registry.shut();
  const goneAt = Date.now();
  await accepts.send(ACCEPTS / 2);
  await eventually(() => load.since(goneAt).length > 1_000, "a thousand webhooks more", 60_000);
  const account = await accepts.settle(60_000);
  const ready = await replica.isReady();
  await accepts.stop();
  const statuses = new Set((await load.stop()).map(({ status }) => status));

  expect([...statuses]).toEqual([200]);
  expect(account).toMatchObject({ ...flawless(ACCEPTS), succeeded: ACCEPTS });
  expect(ready).toBe(true);
});

const post = async (to: Replica): Promise<number> => {
  const body = JSON.stringify({ transactionId: "tx-1", status: "CANCELED" });
  return (await fetch(to.webhookUrl, { method: "POST", body })).status;
};

const startDetail = async (of: Replica): Promise<string> => {
  const answer = await fetch(`${of.managementUrl}/readyz`);
  const { components } = (await answer.json()) as { components: Record<string, { detail: string }> };
  return components["start"]?.detail ?? "";
};

it("waits for the registry at the start, says so, and goes on when it is there", async () => {
  await registry.shut();
  const waiting = await world.startReplica();

  await eventually(
    async () => expect(await startDetail(waiting)).toContain("SCHEMA_REGISTRY_URL"),
    "readiness to say so",
    30_000,
  );
  await eventually(
    async () => expect(await waiting.process.logTail()).toContain(`SCHEMA_REGISTRY_URL (${url})`),
    "the log to say so",
    10_000,
  );
  expect(await post(waiting)).toBe(503);
  expect(await waiting.isReady()).toBe(false);

  await registry.open();
  await eventually(() => waiting.isReady(), "the start to be over", 30_000);
  expect(await post(waiting)).toBe(200);
});

it("ends with 1 and a sentence that names the setting when the registry does not come", async () => {
  await registry.shut();
  const waiting = await world.startReplica();

  expect(await waiting.process.exited()).toBe(1);
  const lastLine = (await waiting.process.logTail()).split("\n").at(-1);
  expect(lastLine).toMatch(
    /^SCHEMA_REGISTRY_URL \(.*\): the schema registry does not answer: .*ECONNREFUSED/,
  );
});
