import { afterAll, afterEach, beforeAll, expect, inject, it } from "vitest";
import { startKafka } from "../../dev/cluster/kafka.mjs";
import { eventually } from "../support/eventually.ts";
import { leaderOf, readTopic } from "../support/topic.ts";
import { startWebhookLoad } from "../support/webhook-load.ts";
import { openWorld, type World } from "../support/world.ts";

const PUBLISH_TIMEOUT_MS = 3_000;
const CONNECTIONS = 8;
/** So long nothing but 2xx: that is what whole means. */
const CALM_MS = 2_000;
const SILENT = (): void => undefined;

let kafka: Awaited<ReturnType<typeof startKafka>>;
let world: World | undefined;

beforeAll(async () => {
  kafka = await startKafka({ brokers: 3, say: SILENT });
}, 90_000);
afterAll(() => kafka.stop());
afterEach(async () => {
  for (const each of kafka.brokers) each.resume();
  await world?.close();
});

const broker = (id: number) => {
  const found = kafka.brokers.find((candidate) => candidate.id === id);
  if (!found) throw new Error(`there is no broker ${id}`);
  return found;
};

type Broker = ReturnType<typeof broker>;

const resumed = (leader: Broker): Promise<void> => {
  leader.resume();
  return Promise.resolve();
};

const faults: {
  name: string;
  break: (leader: Broker) => unknown;
  mend: (leader: Broker) => Promise<unknown>;
}[] = [
  { name: "killed", break: (leader) => leader.kill(), mend: (leader) => leader.start() },
  { name: "frozen", break: (leader) => leader.freeze(), mend: (leader) => resumed(leader) },
  {
    name: "stopped in order, one after the other",
    break: async () => {
      for (const each of kafka.brokers) {
        await each.stop();
        await each.start();
      }
    },
    mend: () => Promise.resolve(),
  },
];

it.each(faults)("answers 2xx only for events that are there, with a broker $name", async (fault) => {
  world = await openWorld(
    { kafkaBrokers: kafka.bootstrapServers, schemaRegistryUrl: inject("schemaRegistryUrl") },
    {
      env: {
        FLOWS: "webhooks",
        TOPIC_REPLICATION_FACTOR: "3",
        WEBHOOK_PUBLISH_TIMEOUT: `${PUBLISH_TIMEOUT_MS}ms`,
      },
    },
  );
  const replica = await world.startReplica();
  await eventually(() => replica.isReady(), 30_000);
  const leader = broker(await leaderOf(kafka.bootstrapServers, world.topics.events, 0));
  const load = startWebhookLoad(replica.webhookUrl, CONNECTIONS);
  const good = (since: number): number => load.since(since).filter(({ status }) => status === 200).length;
  await eventually(() => good(0) > 200, 30_000);

  await fault.break(leader);
  const brokenAt = Date.now();
  // All partitions again, not only those whose leader was never gone.
  await eventually(() => {
    if (Date.now() < brokenAt + CALM_MS) return false;
    const answers = load.since(Date.now() - CALM_MS);
    return answers.length > 50 && answers.every(({ status }) => status === 200);
  }, 45_000);
  const recoveredMs = Date.now() - brokenAt - CALM_MS;
  await fault.mend(leader);
  await eventually(() => good(Date.now() - 1_000) > 20, 30_000);
  const answers = await load.stop();

  const claimed = answers.filter(({ status }) => status === 200);
  const { events } = world.topics;
  // A broker that was just woken may for a moment take itself for the leader of old and answer with the end of then.
  await eventually(async () => {
    const records = await readTopic(kafka.bootstrapServers, events);
    const published = new Set(records.map(({ headers }) => String(headers?.["ce_id"])));
    expect(claimed.filter(({ eventId }) => !published.has(eventId))).toEqual([]);
  }, 30_000);
  expect(new Set(answers.map(({ status }) => status))).not.toContain(0);
  expect(answers.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
  const slowest = Math.max(...answers.map(({ ms }) => ms));
  // The promise is half a second; a machine that is busy with other things gets a little more.
  expect(slowest).toBeLessThan(PUBLISH_TIMEOUT_MS + 1_500);
  console.log(
    `${fault.name}: ${claimed.length} published, slowest ${slowest} ms, whole again after ${recoveredMs} ms`,
  );
});
