import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { startKafka, type KafkaCluster } from "../../dev/cluster/kafka.mjs";
import { messageOf } from "../support/accepts.ts";
import { sharedCluster } from "../support/cluster.ts";
import { eventually } from "../support/eventually.ts";
import { follow } from "../support/follow-topics.ts";
import { timed } from "../support/own-time.ts";
import type { Replica } from "../support/replica.ts";
import { openWorld, type World } from "../support/world.ts";

const PUBLISH_TIMEOUT_MS = 2_000;
const SHUTDOWN_TIMEOUT_MS = 8_000;
const ENDING = { SHUTDOWN_TIMEOUT: `${SHUTDOWN_TIMEOUT_MS}ms`, PARTNER_CALL_TIMEOUT: "3s" };

let kafka: KafkaCluster;
let world: World;

beforeAll(async () => {
  kafka = await startKafka({ heapMb: 256 });
  world = await openWorld({
    cluster: { ...sharedCluster(), kafkaBrokers: kafka.bootstrapServers },
    sandboxArgs: ["--accept-unknown-quotes", "--walk", "still"],
  });
}, 120_000);
afterAll(async () => {
  await world.close();
  await kafka.stop();
});

const broker = () => kafka.brokers[0]!;
const takenAway: [string, takeAway: () => unknown, bringBack: () => unknown][] = [
  ["frozen", () => broker().freeze(), () => broker().resume()],
  ["killed", () => broker().kill(), () => broker().start()],
];

const post = async ({ webhookUrl }: Replica, transactionId: string) => {
  const request = { method: "POST", body: JSON.stringify({ transactionId, status: "CANCELED" }) };
  const answered = async () => {
    const response = await fetch(webhookUrl, request);
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
const expectRefusals = async (bridge: Replica, what: string) => {
  let probes = 0;
  await eventually(
    async () => (await post(bridge, `leaving-${what}-${(probes += 1)}`)).status === 503,
    "the first refusal",
    30_000,
  );
  for (let i = 0; i < 3; i++) {
    const ids = Array.from({ length: 5 }, (_, j) => `away-${what}-${i}-${j}`);
    for (const { status, retryAfter, ms } of await Promise.all(ids.map((id) => post(bridge, id)))) {
      expect(status).toBe(503);
      expect(Number(retryAfter)).toBeGreaterThan(0);
      expect(ms).toBeLessThan(PUBLISH_TIMEOUT_MS + 500);
    }
  }
};

test.each(takenAway)(
  "a broker that is %s costs time and nothing else",
  async (what, takeAway, bringBack) => {
    const bridge = await world.startReady({ WEBHOOK_PUBLISH_TIMEOUT: `${PUBLISH_TIMEOUT_MS}ms` });
    // A broker that has just started may not acknowledge the first ones in time.
    let tries = 0;
    const published = await eventually(
      async () => {
        const transactionId = `before-${what}-${(tries += 1)}`;
        return (await post(bridge, transactionId)).status === 200 && transactionId;
      },
      "webhooks to be taken",
      30_000,
    );
    await takeAway();
    await expectRefusals(bridge, what);
    await eventually(async () => !(await bridge.isReady()), "readiness to say so", 30_000);
    const alive = await fetch(`${bridge.managementUrl}/livez`);
    expect(alive.status, "a restart would mend nothing").toBe(200);

    await bringBack();
    await eventually(
      async () => (await post(bridge, `after-${what}`)).status === 200,
      "webhooks to be taken again",
      30_000,
    );
    await bridge.untilReady();
    const commandId = `after-${what}`;
    const { brokers, topics } = world;
    await world.produce(topics.commands, [
      messageOf({ commandId, quoteId: `q-${commandId}`, key: commandId }),
    ]);
    const following = await follow(brokers, [topics.results, topics.events]);
    onTestFinished(following.stop);
    const [result] = await following.until(topics.results, ({ key }) => key === commandId);
    expect(result?.headers["outcome"]).toBe("SUCCEEDED");
    await following.until(topics.events, ({ key }) => key === published);
    await following.until(topics.events, ({ key }) => key === `after-${what}`);
    expect(await bridge.stop()).toBe(0);
  },
  120_000,
);

const expectToEndInTime = async (replica: Replica): Promise<void> => {
  const { value: code, ms } = await timed(replica.stop());
  expect(code).toBe(0);
  expect(ms, "within SHUTDOWN_TIMEOUT").toBeLessThan(SHUTDOWN_TIMEOUT_MS);
};

/** An accept that the partner does not answer. */
const openAccept = async (quoteId: string): Promise<void> => {
  const hang = { operation: "accept", match: { quoteId }, kind: "hang", when: "after" };
  await world.sandbox("/_sandbox/faults", hang);
  await world.produce(world.topics.commands, [
    messageOf({ commandId: `c-${quoteId}`, quoteId, key: quoteId }),
  ]);
  await eventually(async () => (await world.executions(quoteId)) === 1, "the call", 30_000);
};

/** A webhook whose event Kafka does not acknowledge: not always the first, since a broker takes a moment to stand still. */
const openWebhook = async (replica: Replica, what: string): Promise<void> => {
  const waiting = `cambio_bridge_publisher_waiting_records{topic="${world.topics.events}"} `;
  let sent = 0;
  const oneWaits = async (): Promise<boolean> => {
    void post(replica, `tx-${what}-${(sent += 1)}`).catch(() => undefined);
    const metrics = await replica.metrics();
    return Number(metrics.split(waiting)[1]?.split("\n")[0]) > 0;
  };
  await eventually(oneWaits, "an event to wait for Kafka", 30_000);
};

test.each(takenAway)(
  "SIGTERM ends the process in time while Kafka is %s, whatever is under way",
  async (what, takeAway, bringBack) => {
    const replica = await world.startReady(ENDING);
    await openAccept(`q-${what}`);
    await takeAway();
    await openWebhook(replica, what);
    await expectToEndInTime(replica).finally(() => bringBack());
  },
  120_000,
);

test.each(takenAway)(
  "SIGTERM during the start ends the process in time while Kafka is %s",
  async (_, takeAway, bringBack) => {
    await takeAway();
    const replica = await world.startReplica(ENDING);
    await eventually(() => fetch(`${replica.managementUrl}/livez`), "the process to listen", 30_000);
    await expectToEndInTime(replica).finally(() => bringBack());
  },
  120_000,
);
