import { ConfigResourceTypes, Kafka, logLevel } from "kafkajs";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { startKafka, type KafkaCluster } from "../../dev/cluster/kafka.mjs";
import { agreedTopic } from "../support/broker-view.ts";
import { eventually } from "../support/eventually.ts";
import { SLOWEST_MS, webhooksUnderFault, type WebhooksUnderFault } from "../support/webhooks-under-fault.ts";

/** Of the promise: full service again so soon after Kafka is back. */
const WHOLE_WITHIN_MS = 10_000;

let kafka: KafkaCluster;
let running: WebhooksUnderFault | undefined;

beforeAll(async () => {
  kafka = await startKafka({ brokers: 3 });
}, 90_000);
afterAll(() => kafka.stop());
afterEach(async () => {
  for (const each of kafka.brokers) each.resume();
  await running?.close();
});

const setMinInSync = async (topic: string, replicas: number): Promise<void> => {
  const admin = new Kafka({ brokers: kafka.bootstrapServers.split(","), logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  await admin.alterConfigs({
    validateOnly: false,
    resources: [
      {
        type: ConfigResourceTypes.TOPIC,
        name: topic,
        configEntries: [{ name: "min.insync.replicas", value: String(replicas) }],
      },
    ],
  });
  await admin.disconnect();
};

const two = () => kafka.brokers.slice(0, 2);

const faults: { name: string; break: (topic: string) => unknown; mend: (topic: string) => unknown }[] = [
  {
    name: "two brokers are frozen",
    break: () => two().forEach((each) => each.freeze()),
    mend: () => two().forEach((each) => each.resume()),
  },
  {
    name: "two brokers are killed",
    break: () => Promise.all(two().map((each) => each.kill())),
    mend: () => Promise.all(two().map((each) => each.start())),
  },
  {
    name: "two brokers are stopped in order",
    break: async () => {
      for (const each of two()) await each.stop();
    },
    mend: () => Promise.all(two().map((each) => each.start())),
  },
  {
    name: "the topic wants more replicas than there are",
    break: (topic) => setMinInSync(topic, 4),
    mend: (topic) => setMinInSync(topic, 2),
  },
];

it.each(faults)("answers 503, and no 2xx, while $name", async (fault) => {
  running = await webhooksUnderFault(kafka);
  const { world, replica, load, untilRefused, untilWhole, settle } = running;
  const { events } = world.topics;

  await fault.break(events);
  await untilRefused();
  const refusedAt = Date.now();
  await eventually(async () => !(await replica.isReady()), 10_000);
  // Long enough to see that it stays so: every connection is refused a few times more.
  await eventually(() => load.since(refusedAt).length > 40, 60_000);
  const servedMeanwhile = load.since(refusedAt).filter(({ status }) => status !== 503);
  await fault.mend(events);
  await eventually(() => agreedTopic(kafka.brokers, events), 60_000);
  const wholeAfterMs = await untilWhole(Date.now());
  await eventually(() => replica.isReady(), 10_000);
  const account = await settle();

  expect(servedMeanwhile).toEqual([]);
  expect(account).toMatchObject({ lost: [], otherStatuses: [] });
  expect(account.slowestMs).toBeLessThan(SLOWEST_MS);
  expect(wholeAfterMs).toBeLessThan(WHOLE_WITHIN_MS);
  console.log(`${fault.name}: ${JSON.stringify(account)}, whole again after ${wholeAfterMs} ms`);
});
