import { randomUUID } from "node:crypto";
import { expect, it, onTestFinished } from "vitest";
import { topicAsSeenBy } from "../support/broker-view.ts";
import { eventually } from "../support/eventually.ts";
import { readTopic } from "../support/follow-topics.ts";
import { askAdmin } from "../support/kafka.ts";
import type { Replica } from "../support/replica.ts";
import { onAllBrokers, threeBrokers, type Broker } from "../support/three-brokers.ts";
import { openWorld } from "../support/world.ts";

const TRANSACTIONS = 18;
const ROUNDS = 3;
/** The partition that loses its leader. */
const LOST = 2;
/** A broker that was killed counts as gone after its session with the controller. */
const GONE_WITHIN_MS = 30_000;
/** Of the promise: full service again so soon after Kafka is back. */
const WHOLE_WITHIN_MS = 10_000;

const kafka = threeBrokers();

type Posted = { status: number; eventId: string };

const post = async (to: Replica, transactionId: string): Promise<Posted> => {
  const body = JSON.stringify({ transactionId, status: "AWAITING_PAYMENT", createdAt: randomUUID() });
  const answer = await fetch(to.webhookUrl, { method: "POST", body });
  const text = await answer.text();
  const { eventId } = (answer.ok ? JSON.parse(text) : { eventId: "" }) as { eventId: string };
  return { status: answer.status, eventId };
};

/** A topic with one replica of each partition, on a broker of its own. */
const createEvents = (topic: string): Promise<unknown> =>
  askAdmin(kafka.addresses(), (admin) =>
    admin.createTopics({
      topics: [
        {
          topic,
          replicaAssignment: kafka.all().map(({ id }, partition) => ({ partition, replicas: [id] })),
        },
      ],
    }),
  );

const faults: { name: string; break: (broker: Broker) => Promise<void> }[] = [
  { name: "is stopped in order", break: (broker) => broker.stop() },
  { name: "is killed", break: (broker) => broker.kill() },
];

it.each(faults)("serves the other partitions while the only replica of one $name", async (fault) => {
  const world = await openWorld(kafka.cluster(), {
    setUp: false,
    settings: { FLOWS: "webhooks", ...onAllBrokers, WEBHOOK_PUBLISH_TIMEOUT: "3s" },
  });
  onTestFinished(world.close);
  const { events } = world.topics;
  await createEvents(events);
  expect(await world.run(["setup"])).toMatchObject({ code: 0 });
  const replica = await world.startReady();

  const transactions = Array.from({ length: TRANSACTIONS }, () => randomUUID());
  const written: string[] = [];
  const postAll = async (to: Replica, ids: readonly string[]): Promise<number[]> => {
    const answers = await Promise.all(ids.map((id) => post(to, id)));
    written.push(...answers.filter(({ status }) => status === 200).map(({ eventId }) => eventId));
    return answers.map(({ status }) => status);
  };
  const first = new Map<string, string>();
  for (const id of transactions) first.set((await post(replica, id)).eventId, id);
  const lost = (await readTopic(world.brokers, events))
    .filter(({ partition }) => partition === LOST)
    .map(({ headers }) => first.get(headers["ce_id"] ?? "") ?? "");
  const others = transactions.filter((id) => !lost.includes(id));
  expect(lost.length * others.length).toBeGreaterThan(0);

  const broker = kafka.all()[LOST]!;
  const alive = kafka.all().filter((each) => each !== broker);
  const leaders = (): Promise<number[]> =>
    Promise.all(alive.map(async ({ port }) => (await topicAsSeenBy(port, events))[LOST]!.leader));
  const checkRounds = async (to: Replica): Promise<void> => {
    for (let round = 0; round < ROUNDS; round++) {
      const [served, refused] = await Promise.all([postAll(to, others), postAll(to, lost)]);
      expect(new Set(served), to.name).toEqual(new Set([200]));
      expect(new Set(refused), to.name).toEqual(new Set([503]));
    }
  };
  const started: Replica[] = [replica];
  await fault.break(broker);
  try {
    await eventually(async () => (await leaders()).every((id) => id < 0), "no leader", GONE_WITHIN_MS);
    await eventually(
      async () => (await postAll(replica, others)).every((status) => status === 200),
      "the other partitions to be served",
      WHOLE_WITHIN_MS,
    );
    await checkRounds(replica);
    const late = await world.startReplica();
    started.push(late);
    await late.untilReady();
    await checkRounds(late);
  } finally {
    await broker.start();
  }
  await eventually(async () => (await leaders()).every((id) => id === broker.id), "the leader", 30_000);
  const backAt = Date.now();
  for (const each of started)
    await eventually(
      async () => (await postAll(each, transactions)).every((status) => status === 200),
      "all partitions to be served",
      WHOLE_WITHIN_MS,
    );
  console.log(`${fault.name}: whole again after ${Date.now() - backAt} ms`);
  expect(await postAll(replica, transactions)).toEqual(transactions.map(() => 200));
  const found = new Set((await readTopic(world.brokers, events)).map(({ headers }) => headers["ce_id"]));
  expect(written.filter((id) => !found.has(id))).toEqual([]);
});
