import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { startKafka, type KafkaCluster } from "../../dev/cluster/kafka.mjs";
import { topicAsSeenBy } from "../support/broker-view.ts";
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

/** As the broker sees it that was never away. */
const untilKafkaIsBack = (topic: string): Promise<unknown> =>
  eventually(
    async () => {
      const partitions = await topicAsSeenBy(kafka.brokers[2]!.port, topic);
      return partitions.every(({ leader, inSync }) => leader >= 0 && inSync.length >= 2);
    },
    "two replicas in sync",
    60_000,
  );

const two = () => kafka.brokers.slice(0, 2);

const faults: { name: string; break: () => unknown; mend: () => unknown }[] = [
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
];

it.each(faults)("answers 503, and no 2xx, while $name", async (fault) => {
  running = await webhooksUnderFault(kafka);
  const { world, replica, load, untilRefused, untilWhole, settle } = running;
  const { events } = world.topics;

  await fault.break();
  await untilRefused();
  const refusedAt = Date.now();
  await eventually(async () => !(await replica.isReady()), "readiness to say so", 10_000);
  // Long enough to see that it stays so: every connection is refused a few times more.
  await eventually(() => load.since(refusedAt).length > 40, "more webhooks", 60_000);
  const servedMeanwhile = load.since(refusedAt).filter(({ status }) => status !== 503);
  const mended = Promise.resolve(fault.mend());
  await untilKafkaIsBack(events);
  const wholeAfterMs = await untilWhole(Date.now());
  await mended;
  await eventually(() => replica.isReady(), "the replica to be ready again", 10_000);
  const account = await settle();

  expect(servedMeanwhile).toEqual([]);
  expect(account).toMatchObject({ lost: [], otherStatuses: [] });
  expect(account.slowestMs).toBeLessThan(SLOWEST_MS);
  expect(wholeAfterMs).toBeLessThan(WHOLE_WITHIN_MS);
  console.log(`${fault.name}: ${JSON.stringify(account)}, whole again after ${wholeAfterMs} ms`);
});
