import { expect, it } from "vitest";
import { topicAsSeenBy } from "../support/broker-view.ts";
import { eventually } from "../support/eventually.ts";
import { readTopic } from "../support/follow-topics.ts";
import { askAdmin } from "../support/kafka.ts";
import { threeBrokers, type Broker } from "../support/three-brokers.ts";
import { webhooksUnderFault } from "../support/webhooks-under-fault.ts";

const kafka = threeBrokers();

/** Moves the replicas of each partition, the leader first. */
const assign = (brokers: string, topic: string, replicas: readonly number[][]): Promise<unknown> =>
  askAdmin(brokers, (admin) =>
    admin.alterPartitionReassignments({
      topics: [
        {
          topic,
          partitionAssignment: replicas.map((of, partition) => ({ partition, replicas: [...of] })),
        },
      ],
    }),
  );

it("serves the other partitions while one of the same leader has too few replicas in sync, and writes each event once", async () => {
  const { world, load, untilWhole, settle } = await webhooksUnderFault(kafka);
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
  await assign(
    brokers,
    topics.events,
    partitions.map(() => [first.id]),
  );
  await until("one leader for all partitions", (inSync) => inSync.length === 1);
  const lame = 0;
  await assign(
    brokers,
    topics.events,
    partitions.map((_, partition) => [first.id, partition === lame ? third.id : second.id]),
  );
  await until("two replicas in sync", (inSync) => inSync.length === 2);
  await untilWhole(Date.now());

  await third.kill();
  await until(
    "the partition to lack a replica",
    (inSync, partition) => inSync.length === (partition === lame ? 1 : 2),
  );
  const lacksAt = Date.now();
  await eventually(
    () => load.since(lacksAt).filter(({ status }) => status === 503).length > 10,
    "refusals",
    60_000,
  );
  const meanwhile = load.since(lacksAt);
  await third.start();
  await untilWhole(Date.now());
  // To compare, the brokers must agree about three replicas of each partition, as before.
  await assign(
    brokers,
    topics.events,
    partitions.map(() => [first.id, second.id, third.id]),
  );
  const account = await settle();
  const ids = (await readTopic(brokers, topics.events)).map(({ headers }) => headers["ce_id"]);

  const good = meanwhile.filter(({ status }) => status === 200).length;
  console.log(
    `${good} of ${meanwhile.length} served meanwhile; ${ids.length - new Set(ids).size} of ${ids.length} records are copies; ${JSON.stringify(account)}`,
  );
  expect(good).toBeGreaterThan(meanwhile.length / 2);
  expect(account).toMatchObject({ lost: [], otherStatuses: [] });
  // The broker's end cuts off requests that were under way: their records may be written twice.
  expect(ids.length - new Set(ids).size).toBeLessThan(30);
});
