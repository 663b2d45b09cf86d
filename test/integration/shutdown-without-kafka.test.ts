import { afterAll, beforeAll, expect, test } from "vitest";
import { startKafka, type KafkaCluster } from "../../dev/cluster/kafka.mjs";
import { messageOf } from "../support/accepts.ts";
import { sharedCluster } from "../support/cluster.ts";
import { eventually } from "../support/eventually.ts";
import { timed } from "../support/own-time.ts";
import { produce } from "../support/produce.ts";
import type { Replica } from "../support/replica.ts";
import { openWorld, type World } from "../support/world.ts";

const SHUTDOWN_TIMEOUT_MS = 8_000;

let kafka: KafkaCluster;
let world: World;

beforeAll(async () => {
  kafka = await startKafka({ heapMb: 256 });
  world = await openWorld(
    { ...sharedCluster(), kafkaBrokers: kafka.bootstrapServers },
    {
      sandboxArgs: ["--accept-unknown-quotes", "--walk", "still"],
      settings: { SHUTDOWN_TIMEOUT: `${SHUTDOWN_TIMEOUT_MS}ms`, PARTNER_CALL_TIMEOUT: "3s" },
    },
  );
  await world.sandbox("/_sandbox/faults", { operation: "accept", kind: "hang", when: "after" });
}, 120_000);
afterAll(async () => {
  await world.close();
  await kafka.stop();
});

const broker = () => kafka.brokers[0]!;
const takenAway = [
  [
    "frozen",
    () => Promise.resolve().then(() => broker().freeze()),
    () => Promise.resolve().then(() => broker().resume()),
  ],
  ["killed", () => broker().kill(), () => broker().start()],
] as const;

const expectToEndInTime = async (replica: Replica): Promise<void> => {
  const { value: code, ms } = await timed(replica.stop());
  expect(code).toBe(0);
  expect(ms, "within SHUTDOWN_TIMEOUT").toBeLessThan(SHUTDOWN_TIMEOUT_MS);
};

/** An accept that the partner does not answer. */
const openAccept = async (quoteId: string): Promise<void> => {
  await produce(world.brokers, world.topics.commands, [
    messageOf({ commandId: `c-${quoteId}`, quoteId, key: quoteId }),
  ]);
  const called = async (): Promise<boolean> => {
    const { executions } = await world.sandbox<{ executions: number }>(`/_sandbox/executions/${quoteId}`);
    return executions === 1;
  };
  await eventually(called, "the call", 30_000);
};

/** A webhook whose event Kafka does not acknowledge: not always the first, since a broker takes a moment to stand still. */
const openWebhook = async ({ webhookUrl, managementUrl }: Replica, what: string): Promise<void> => {
  const waiting = `cambio_bridge_publisher_waiting_records{topic="${world.topics.events}"} `;
  let sent = 0;
  const oneWaits = async (): Promise<boolean> => {
    const body = JSON.stringify({ transactionId: `tx-${what}-${(sent += 1)}`, status: "CANCELED" });
    void fetch(webhookUrl, { method: "POST", body }).catch(() => undefined);
    const metrics = await (await fetch(`${managementUrl}/metrics`)).text();
    return Number(metrics.split(waiting)[1]?.split("\n")[0]) > 0;
  };
  await eventually(oneWaits, "an event to wait for Kafka", 30_000);
};

test.each(takenAway)(
  "SIGTERM ends the process in time while Kafka is %s, whatever is under way",
  async (what, takeAway, bringBack) => {
    const replica = await world.startReplica();
    await replica.untilReady();
    await openAccept(`q-${what}`);
    await takeAway();
    await openWebhook(replica, what);
    await expectToEndInTime(replica).finally(bringBack);
  },
  120_000,
);

test.each(takenAway)(
  "SIGTERM during the start ends the process in time while Kafka is %s",
  async (_, takeAway, bringBack) => {
    await takeAway();
    const replica = await world.startReplica();
    await eventually(() => fetch(`${replica.managementUrl}/livez`), "the process to listen", 30_000);
    await expectToEndInTime(replica).finally(bringBack);
  },
  120_000,
);
