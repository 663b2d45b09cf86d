import { expect, it } from "vitest";
import { newPartitioner } from "../../src/kafka/produce/partitioner.ts";
import { topicAsSeenBy } from "../support/broker-view.ts";
import { eventually } from "../support/eventually.ts";
import { reassign } from "../support/kafka.ts";
import { threeBrokers, type Broker } from "../support/three-brokers.ts";
import { p99, slowestOf, type Answer } from "../support/webhook-load.ts";
import { webhooksUnderFault } from "../support/webhooks-under-fault.ts";

/** How long the partition lacks replicas, and how long the service is measured before. */
const FAULT_MS = 60_000;
const BASELINE_MS = 20_000;

const kafka = threeBrokers();

const p99Of = (answers: readonly Answer[]): number => p99(answers.map(({ ms }) => ms));

it("serves the other partitions as before while one of the same leader lacks replicas for a minute, and stays ready", async () => {
  const { world, replica, load, untilWhole, settle } = await webhooksUnderFault(kafka);
  const { brokers, topics } = world;
  const [first, second, third] = kafka.all() as [Broker, Broker, Broker];
  const view = () => topicAsSeenBy(first.port, topics.events);
  const partitions = await view();
  const until = (what: string, is: (inSync: number[], partition: number) => boolean): Promise<unknown> =>
    eventually(
      async () =>
        (await view()).every(({ leader, inSync }, partition) => leader === first.id && is(inSync, partition)),
      what,
      60_000,
    );
  await reassign(
    brokers,
    topics.events,
    partitions.map(() => [first.id]),
  );
  await until("one leader for all partitions", (inSync) => inSync.length === 1);
  const lame = 0;
  await reassign(
    brokers,
    topics.events,
    partitions.map((_, partition) => [first.id, partition === lame ? third.id : second.id]),
  );
  await until("two replicas in sync", (inSync) => inSync.length === 2);
  await untilWhole(Date.now());

  const partitionOf = newPartitioner();
  const isLame = ({ transactionId }: Answer): boolean =>
    partitionOf(Buffer.from(transactionId), partitions.length) === lame;
  const baselineAt = Date.now();
  await eventually(() => Date.now() > baselineAt + BASELINE_MS, "the baseline", BASELINE_MS + 5_000);
  const before = load.since(baselineAt).filter((answer) => !isLame(answer));

  const lacksAt = Date.now();
  let unready = 0;
  await third.kill();
  await eventually(
    async () => {
      if (!(await replica.isReady())) unready += 1;
      return Date.now() > lacksAt + FAULT_MS;
    },
    "the fault to last",
    FAULT_MS + 10_000,
  );
  expect((await view())[lame]?.inSync).toHaveLength(1);
  const meanwhile = load.since(lacksAt);
  const others = meanwhile.filter((answer) => !isLame(answer));
  const refused = meanwhile.filter((answer) => isLame(answer) && answer.status === 503);
  await third.start();
  await untilWhole(Date.now());
  // To compare, the brokers must agree about three replicas of each partition, as before.
  await reassign(
    brokers,
    topics.events,
    partitions.map(() => [first.id, second.id, third.id]),
  );
  const account = await settle();
  const ids = (await world.read(topics.events)).map(({ headers }) => headers["ce_id"]);

  console.log(
    `others: ${others.length} in ${FAULT_MS} ms, p99 ${p99Of(others)} ms (before: ${before.length} in ${BASELINE_MS} ms, ${p99Of(before)} ms), slowest ${slowestOf(others)} ms; ` +
      `refused: ${refused.length}, half of them within ${refused.map(({ ms }) => ms).sort((a, b) => a - b)[refused.length >> 1]} ms; unready ${unready} times; ` +
      `${ids.length - new Set(ids).size} of ${ids.length} records are copies; ${JSON.stringify(account)}`,
  );
  expect(unready).toBe(0);
  expect(others.filter(({ status }) => status !== 200)).toEqual([]);
  expect(p99Of(others)).toBeLessThanOrEqual(1.5 * p99Of(before));
  expect(refused.length).toBeGreaterThan(10);
  expect(account).toMatchObject({ lost: [], otherStatuses: [] });
  // The broker's end cuts off requests that were under way: their records may be written twice.
  expect(ids.length - new Set(ids).size).toBeLessThan(60);
});
