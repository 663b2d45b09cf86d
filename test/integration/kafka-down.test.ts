import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { startKafka, type KafkaCluster } from "../../dev/cluster/kafka.mjs";
import { messageOf } from "../support/accepts.ts";
import { sharedCluster } from "../support/cluster.ts";
import { eventually } from "../support/eventually.ts";
import { follow } from "../support/follow-topics.ts";
import { timed } from "../support/own-time.ts";
import { produce } from "../support/produce.ts";
import type { Replica } from "../support/replica.ts";
import { openWorld, type World } from "../support/world.ts";

const PUBLISH_TIMEOUT_MS = 2_000;

let kafka: KafkaCluster;
let world: World;
let bridge: Replica;

beforeAll(async () => {
  kafka = await startKafka({ heapMb: 256 });
  world = await openWorld(
    { ...sharedCluster(), kafkaBrokers: kafka.bootstrapServers },
    {
      sandboxArgs: ["--accept-unknown-quotes", "--walk", "still"],
      settings: { WEBHOOK_PUBLISH_TIMEOUT: `${PUBLISH_TIMEOUT_MS}ms` },
    },
  );
  bridge = await world.startReplica();
  await bridge.untilReady();
}, 120_000);
afterAll(async () => {
  const exitCode = await bridge.stop();
  await world.close();
  await kafka.stop();
  expect(exitCode).toBe(0);
});

const post = async (transactionId: string) => {
  const request = { method: "POST", body: JSON.stringify({ transactionId, status: "CANCELED" }) };
  const answered = async () => {
    const response = await fetch(bridge.webhookUrl, request);
    await response.arrayBuffer();
    return { status: response.status, retryAfter: response.headers.get("retry-after") };
  };
  const { value, ms } = await timed(answered());
  return { ...value, ms };
};
/**
 * While Kafka is away every webhook is refused in time, and the sender is told to come again. A broker under load takes a
 * moment to stand still; and no transaction is sent twice, because one that was refused may still be published, after which
 * it is answered with 200 at any time.
 */
const expectRefusals = async (what: string) => {
  let probes = 0;
  await eventually(
    async () => (await post(`leaving-${what}-${(probes += 1)}`)).status === 503,
    "the first refusal",
    30_000,
  );
  for (let i = 0; i < 3; i++) {
    const answers = await Promise.all(Array.from({ length: 5 }, (_, j) => post(`away-${what}-${i}-${j}`)));
    for (const { status, retryAfter, ms } of answers) {
      expect(status).toBe(503);
      expect(Number(retryAfter)).toBeGreaterThan(0);
      expect(ms).toBeLessThan(PUBLISH_TIMEOUT_MS + 500);
    }
  }
};

test.each([
  ["killed", () => kafka.brokers[0]!.kill(), () => kafka.brokers[0]!.start()],
  [
    "frozen",
    () => Promise.resolve().then(() => kafka.brokers[0]!.freeze()),
    () => Promise.resolve().then(() => kafka.brokers[0]!.resume()),
  ],
])(
  "a broker that is %s costs time and nothing else",
  async (what, takeAway, bringBack) => {
    // A broker that has just started may not acknowledge the first ones in time.
    let tries = 0;
    const published = await eventually(
      async () => {
        const transactionId = `before-${what}-${(tries += 1)}`;
        return (await post(transactionId)).status === 200 && transactionId;
      },
      "webhooks to be taken",
      30_000,
    );
    await takeAway();
    await expectRefusals(what);
    await eventually(
      async () => (await fetch(`${bridge.managementUrl}/readyz`)).status === 503,
      "readiness to say so",
      30_000,
    );
    const alive = await fetch(`${bridge.managementUrl}/livez`);
    expect(alive.status, "a restart would mend nothing").toBe(200);

    await bringBack();
    await eventually(
      async () => (await post(`after-${what}`)).status === 200,
      "webhooks to be taken again",
      30_000,
    );
    await bridge.untilReady();
    const commandId = `after-${what}`;
    const { brokers, topics } = world;
    await produce(brokers, topics.commands, [
      messageOf({ commandId, quoteId: `q-${commandId}`, key: commandId }),
    ]);
    const following = await follow(brokers, [topics.results, topics.events]);
    onTestFinished(following.stop);
    const [result] = await following.until(topics.results, ({ key }) => key === commandId);
    expect(result?.headers["outcome"]).toBe("SUCCEEDED");
    await following.until(topics.events, ({ key }) => key === published);
    await following.until(topics.events, ({ key }) => key === `after-${what}`);
  },
  120_000,
);
