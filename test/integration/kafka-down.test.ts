import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { startKafka, type KafkaCluster } from "../../dev/cluster/kafka.mjs";
import { startSandbox, type Sandbox } from "../../src/sandbox/start.ts";
import { cli, serve, topicsOf, type Served } from "../support/bridge.ts";
import { eventually } from "../support/eventually.ts";
import { follow, produce } from "../support/kafka-client.ts";

const topics = topicsOf("down");
const PUBLISH_TIMEOUT_MS = 2_000;

let cluster: KafkaCluster;
let sandbox: Sandbox;
let bridge: Served;

beforeAll(async () => {
  [cluster, sandbox] = await Promise.all([
    startKafka({ heapMb: 256 }),
    startSandbox({ acceptUnknownQuotes: true, walk: "still" }),
  ]);
  const env = {
    ...topics,
    KAFKA_BROKERS: cluster.bootstrapServers,
    SCHEMA_REGISTRY_URL: inject("schemaRegistryUrl"),
    PARTNER_BASE_URL: sandbox.url,
    WEBHOOK_PUBLISH_TIMEOUT: `${PUBLISH_TIMEOUT_MS}ms`,
    KAFKA_SESSION_TIMEOUT: "6s",
  };
  expect(await cli(["setup"], env)).toMatchObject({ code: 0 });
  bridge = await serve(env);
});
afterAll(async () => {
  expect(await bridge.stop()).toBe(0);
  await cluster.stop();
  await sandbox.close();
});

const post = async (transactionId: string) => {
  const startedAt = performance.now();
  const response = await fetch(bridge.webhookUrl, {
    method: "POST",
    body: JSON.stringify({ transactionId, status: "CANCELED" }),
  });
  await response.arrayBuffer();
  const retryAfter = response.headers.get("retry-after");
  return { status: response.status, retryAfter, ms: performance.now() - startedAt };
};
const accept = (commandId: string) => ({
  key: commandId,
  value: JSON.stringify({
    commandId,
    request: { type: "AcceptQuote", quoteId: `q-${commandId}`, counterpartyId: "cp-1" },
  }),
});
const ready = async () => (await fetch(`${bridge.managementUrl}/readyz`)).status;

/** While Kafka is away every webhook is refused in time, and the sender is told to come again. */
const expectRefusals = async () => {
  for (let i = 0; i < 3; i++) {
    const answers = await Promise.all(Array.from({ length: 5 }, (_, j) => post(`away-${i}-${j}`)));
    for (const { status, retryAfter, ms } of answers) {
      expect(status).toBe(503);
      expect(Number(retryAfter)).toBeGreaterThan(0);
      expect(ms).toBeLessThan(PUBLISH_TIMEOUT_MS + 500);
    }
  }
};

test.each([
  ["killed", () => cluster.brokers[0]!.kill(), () => cluster.brokers[0]!.start()],
  [
    "frozen",
    () => Promise.resolve().then(() => cluster.brokers[0]!.freeze()),
    () => Promise.resolve().then(() => cluster.brokers[0]!.resume()),
  ],
])(
  "a broker that is %s costs time and nothing else",
  async (what, takeAway, bringBack) => {
    expect((await post(`before-${what}`)).status).toBe(200);
    await takeAway();
    await expectRefusals();
    await eventually(async () => (await ready()) === 503, "readiness to say so", 30_000);
    const alive = await fetch(`${bridge.managementUrl}/livez`);
    expect(alive.status, "a restart would mend nothing").toBe(200);

    await bringBack();
    await eventually(
      async () => (await post(`after-${what}`)).status === 200,
      "webhooks to be taken again",
      30_000,
    );
    await bridge.untilReady();
    await produce(cluster.bootstrapServers, topics.TOPIC_COMMANDS, [accept(`after-${what}`)]);
    const following = await follow(cluster.bootstrapServers, [
      topics.TOPIC_COMMAND_RESULTS,
      topics.TOPIC_TRANSACTION_STATUS,
    ]);
    const [result] = await following.until(
      topics.TOPIC_COMMAND_RESULTS,
      ({ key }) => key === `after-${what}`,
    );
    expect(result?.headers["outcome"]).toBe("SUCCEEDED");
    await following.until(topics.TOPIC_TRANSACTION_STATUS, ({ key }) => key === `before-${what}`);
    await following.until(topics.TOPIC_TRANSACTION_STATUS, ({ key }) => key === `after-${what}`);
    await following.stop();
  },
  120_000,
);
