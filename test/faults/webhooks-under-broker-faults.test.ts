import { expect, it } from "vitest";
import { topicAsSeenBy } from "../support/broker-view.ts";
import { eventually } from "../support/eventually.ts";
import { threeBrokers, type Broker } from "../support/three-brokers.ts";
import { SLOWEST_MS, webhooksUnderFault } from "../support/webhooks-under-fault.ts";

/** Of the promise: full service again so soon after Kafka is back. */
const WHOLE_WITHIN_MS = 10_000;
/** The cluster takes so long to give up on a broker. */
const GIVEN_UP_MS = 3_000;

const kafka = threeBrokers();

/** As the broker sees it that was never away. */
const untilKafkaIsBack = (topic: string): Promise<unknown> =>
  eventually(
    async () => {
      const partitions = await topicAsSeenBy(kafka.all()[2]!.port, topic);
      return partitions.every(({ leader, inSync }) => leader >= 0 && inSync.length >= 2);
    },
    "two replicas in sync",
    60_000,
  );

const two = () => kafka.all().slice(0, 2);

const tooMany: { name: string; break: () => unknown; mend: () => unknown }[] = [
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

it.each(tooMany)("answers 503, and no 2xx, while $name", async (fault) => {
  const { world, replica, load, untilRefused, untilWhole, settle } = await webhooksUnderFault(kafka);
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
  await replica.untilReady(10_000);
  const account = await settle();

  expect(servedMeanwhile).toEqual([]);
  expect(account).toMatchObject({ lost: [], otherStatuses: [] });
  expect(account.slowestMs).toBeLessThan(SLOWEST_MS);
  expect(wholeAfterMs).toBeLessThan(WHOLE_WITHIN_MS);
  console.log(`${fault.name}: ${JSON.stringify(account)}, whole again after ${wholeAfterMs} ms`);
});

const one: { name: string; break: (leader: Broker) => unknown; mend: (leader: Broker) => unknown }[] = [
  { name: "killed", break: (leader) => leader.kill(), mend: (leader) => leader.start() },
  { name: "frozen", break: (leader) => leader.freeze(), mend: (leader) => leader.resume() },
  {
    name: "stopped in order, one after the other",
    break: async () => {
      for (const each of kafka.all()) {
        await each.stop();
        await each.start();
      }
    },
    mend: () => undefined,
  },
];

it.each(one)("answers 2xx only for events that are there, with a broker $name", async (fault) => {
  const { world, untilWhole, settle } = await webhooksUnderFault(kafka);
  const leader = await kafka.leaderOf(world.topics.events);

  await fault.break(leader);
  const wholeAfterMs = await untilWhole(Date.now());
  await fault.mend(leader);
  await untilWhole(Date.now());
  const account = await settle();

  expect(account).toMatchObject({ lost: [], otherStatuses: [] });
  expect(wholeAfterMs).toBeLessThan(GIVEN_UP_MS + WHOLE_WITHIN_MS);
  expect(account.slowestMs).toBeLessThan(SLOWEST_MS);
  console.log(`${fault.name}: ${JSON.stringify(account)}, whole again after ${wholeAfterMs} ms`);
});
