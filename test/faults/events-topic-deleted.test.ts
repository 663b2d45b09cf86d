import { Kafka, logLevel } from "kafkajs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, inject, it } from "vitest";
import { startKafka, type KafkaCluster } from "../../dev/cluster/kafka.mjs";
import { flawless } from "../support/account.ts";
import { sendAccepts } from "../support/accepts.ts";
import { agreedTopic, topicAsSeenBy } from "../support/broker-view.ts";
import { TRUSTING } from "../support/commands-world.ts";
import { eventually } from "../support/eventually.ts";
import { readTopic } from "../support/topic.ts";
import { openWorld, type Replica, type World } from "../support/world.ts";
import { SLOWEST_MS, webhooksUnderFault, type WebhooksUnderFault } from "../support/webhooks-under-fault.ts";

const ACCEPTS = 200;
/** Of the promise: full service again so soon after Kafka can serve. */
const WHOLE_WITHIN_MS = 10_000;

let kafka: KafkaCluster;
let running: WebhooksUnderFault | undefined;
let world: World | undefined;

beforeAll(async () => {
  kafka = await startKafka({ brokers: 3 });
}, 90_000);
afterAll(() => kafka.stop());
afterEach(async () => {
  await running?.close();
  await world?.close();
});

/** Resolves when no broker knows of the topic any more: one that has not heard of it yet might still take records. */
const deleteTopic = async (topic: string): Promise<void> => {
  const admin = new Kafka({ brokers: kafka.bootstrapServers.split(","), logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  await admin.deleteTopics({ topics: [topic] });
  await admin.disconnect();
  for (const { port } of kafka.brokers)
    await eventually(
      () => expect(topicAsSeenBy(port, topic)).rejects.toThrow("error 3"),
      `${topic} to be gone`,
      20_000,
    );
};

it("refuses webhooks while their topic is gone, serves them when it is there again, and commands all the while", async () => {
  running = await webhooksUnderFault(kafka, {
    env: { FLOWS: "webhooks,commands" },
    sandboxArgs: TRUSTING,
  });
  const { world, replica, load, untilRefused, untilWhole, settle } = running;
  const { events } = world.topics;
  const accepts = await sendAccepts(world, kafka.bootstrapServers);

  await deleteTopic(events);
  const goneAt = Date.now();
  await untilRefused();
  await eventually(async () => !(await replica.isReady()), "readiness to say so", 10_000);
  await accepts.send(ACCEPTS);
  const commands = await accepts.settle(60_000);
  await accepts.stop();
  const servedMeanwhile = load.since(goneAt).filter(({ status }) => status !== 503);
  await world.cli(["setup"]);
  await eventually(() => agreedTopic(kafka.brokers, events), "the topic to be there again", 30_000);
  const wholeAfterMs = await untilWhole(Date.now());
  await eventually(() => replica.isReady(), "the replica to be ready again", 10_000);
  const account = await settle(goneAt);

  expect(servedMeanwhile).toEqual([]);
  expect(commands).toMatchObject({ ...flawless(ACCEPTS), succeeded: ACCEPTS });
  expect(account).toMatchObject({ lost: [], otherStatuses: [] });
  expect(account.slowestMs).toBeLessThan(SLOWEST_MS);
  expect(wholeAfterMs).toBeLessThan(WHOLE_WITHIN_MS);
  console.log(`topic deleted: ${JSON.stringify(account)}, whole again after ${wholeAfterMs} ms`);
});

const OLD_RECORDS = 60;

it("knows of what other replicas write to the new topic, although the old one was longer", async () => {
  const brokers = kafka.bootstrapServers;
  world = await openWorld(
    { kafkaBrokers: brokers, schemaRegistryUrl: inject("schemaRegistryUrl") },
    { env: { FLOWS: "webhooks", TOPIC_REPLICATION_FACTOR: "3" } },
  );
  const replicas = await Promise.all([world.startReplica(), world.startReplica()]);
  for (const replica of replicas) await eventually(() => replica.isReady(), "both to be ready", 30_000);
  const [one, other] = replicas;
  let sequence = 0;
  // All of one transaction, and so in one partition.
  const post = async (to: Replica, createdAt: string): Promise<string> => {
    const body = JSON.stringify({ transactionId: "tx-1", status: "CANCELED", createdAt });
    const answer = await fetch(to.webhookUrl, { method: "POST", body });
    return answer.ok ? ((await answer.json()) as { eventId: string }).eventId : "";
  };
  const timesPublished = async (eventId: string): Promise<number> => {
    const records = await readTopic(brokers, world!.topics.events);
    return records.filter(({ headers }) => String(headers?.["ce_id"]) === eventId).length;
  };
  for (let nth = 0; nth < OLD_RECORDS; nth++) await post(one, `old ${nth}`);

  await deleteTopic(world.topics.events);
  await world.cli(["setup"]);
  await eventually(async () => (await post(other, "first")) !== "", "an event in the new topic", 30_000);
  await eventually(
    async () => {
      const createdAt = `new ${sequence++}`;
      const eventId = await post(other, createdAt);
      // It may learn of it a little later.
      await sleep(2_000);
      expect(await post(one, createdAt)).toBe(eventId);
      expect(await timesPublished(eventId)).toBe(1);
    },
    "one to know what the other published",
    45_000,
  );
  expect(sequence).toBeLessThan(OLD_RECORDS / 2);
});
