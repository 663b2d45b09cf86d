import { randomUUID } from "node:crypto";
import { expect, it, onTestFinished } from "vitest";
import { quoteKey } from "../../src/commands-to-results/quote-key.ts";
import { newPartitioner } from "../../src/kafka/produce/partitioner.ts";
import { correctTally } from "../support/accept-tally.ts";
import { newAccepts, sendAccepts, type Accept } from "../support/accepts.ts";
import { topicAsSeenBy } from "../support/broker-view.ts";
import { TRUSTING } from "../support/commands-world.ts";
import type { Incoming } from "../../src/kafka/record.ts";
import { headerValue } from "../../src/kafka/headers.ts";
import { scan } from "../../src/kafka/consume/scan.ts";
import { eventually } from "../support/eventually.ts";
import type { followTopics } from "../support/follow-topics.ts";
import { readerDeps, tailTopic } from "../support/reader-deps.ts";
import { reassign, setTopicConfig } from "../support/kafka.ts";
import type { Replica } from "../support/replica.ts";
import { onAllBrokers, threeBrokers } from "../support/three-brokers.ts";
import { openTestWorld } from "../support/world.ts";

/** OUTAGE_MS=60000 for the whole of what is promised. */
const OUTAGE_MS = Number(process.env["OUTAGE_MS"] ?? 20_000);
const BEFORE_MS = OUTAGE_MS / 2;
const EVERY_MS = 100;
const A_ROUND = 4;
/** A broker that has stopped counts as gone at once, and leaders move. */
const GONE_WITHIN_MS = 30_000;
/** Of the promise: a replica takes webhooks so soon after its start, and so soon all is well again. */
const WITHIN_MS = 10_000;
const LAME = 0;

const kafka = threeBrokers();
const choose = newPartitioner();

type Name = "events" | "commands" | "control" | "results" | "journal";
/** By topic: whether a command's records stand in its lame partition. */
const isLameIn: Record<Name, (accept: Accept, partitions: number) => boolean> = {
  events: () => false,
  control: () => false,
  commands: ({ key }, partitions) => choose(Buffer.from(key), partitions) === LAME,
  results: ({ commandId }, partitions) => choose(Buffer.from(commandId), partitions) === LAME,
  journal: ({ quoteId }, partitions) => choose(Buffer.from(quoteKey(quoteId)), partitions) === LAME,
};

const spreadOf = (ms: readonly number[]): string => {
  const sorted = ms.toSorted((a, b) => a - b);
  const at = (share: number): string => `${sorted[Math.floor(sorted.length * share)]?.toFixed(0)}`;
  return `p50 ${at(0.5)}, p99 ${at(0.99)}, at most ${at(1 - 1 / sorted.length)} ms of ${sorted.length}`;
};

/**
 * Plain kafkajs reads nothing for long once a partition has lost its leader, and writes nothing: the bridge's own
 * client mends both, and replaces what kafkajs works with, for the whole process.
 */
const followWithoutGroup: typeof followTopics = (brokers, [topic = ""], onRecord) =>
  tailTopic(brokers, topic, (record) =>
    onRecord({ ...record, key: record.key?.toString() ?? null, headers: {} }),
  );

const eventIdsIn = async (brokers: string, topic: string): Promise<ReadonlySet<string>> => {
  const deps = readerDeps(brokers);
  const cluster = await deps.connectCluster();
  const { ranges } = await cluster.ranges(topic).finally(() => void cluster.close());
  const ids = new Set<string>();
  const take = ({ headers }: Incoming): void => void ids.add(String(headerValue(headers, "ce_id")));
  await scan({ topic, ranges }, take, deps, new AbortController().signal);
  return ids;
};

it.each(["events", "commands", "control", "results", "journal"] as const)(
  "serves everything else while a partition of the %s has no leader, also from a replica that starts meanwhile",
  async (name) => {
    const world = await openTestWorld({
      cluster: kafka.cluster(),
      settings: {
        FLOWS: "webhooks,commands",
        ...onAllBrokers,
        COMMANDS_DEADLINE: "10s",
        WEBHOOK_PUBLISH_TIMEOUT: "3s",
      },
      sandboxArgs: TRUSTING,
    });
    const topic = world.topics[name];
    const [first, second, third] = kafka.all();
    const ids = [first!.id, second!.id, third!.id];
    const view = () => topicAsSeenBy(first!.port, topic);
    const { length: partitions } = await view();
    const lame = (partition: number): number[] => (partition === LAME ? [third!.id] : ids);
    // A single replica takes records.
    await setTopicConfig(world.brokers, topic, { "min.insync.replicas": "1" });
    await reassign(
      world.brokers,
      topic,
      Array.from({ length: partitions }, (_, nth) => lame(nth)),
    );
    await eventually(
      async () => {
        const { leader, inSync } = (await view())[LAME]!;
        return leader === third!.id && inSync.length === 1;
      },
      "the partition to move",
      GONE_WITHIN_MS,
    );

    const replicas: Replica[] = await Promise.all([world.startReady(), world.startReady()]);
    /** By commandId: when it was sent, and how long it took until its result was read. */
    const sentAt = new Map<string, number>();
    const accepts = await sendAccepts(world, (brokers, topics, onRecord) =>
      followWithoutGroup(brokers, topics, (record) => {
        const sent = sentAt.get(record.key ?? "");
        if (sent !== undefined && sentAt.delete(record.key ?? "")) commandsMs.push(performance.now() - sent);
        onRecord(record);
      }),
    );
    const written: string[] = [];
    const post = async (to: Replica, transactionId: string): Promise<number> => {
      const body = JSON.stringify({ transactionId, status: "AWAITING_PAYMENT", createdAt: randomUUID() });
      const answer = await fetch(to.webhookUrl, { method: "POST", body });
      if (answer.ok) written.push(((await answer.json()) as { eventId: string }).eventId);
      return answer.status;
    };
    const unready: string[] = [];
    /** The answers to webhooks whose partition has no leader. */
    const refusals: number[] = [];
    let heldBack = 0;
    const statuses: number[] = [];
    let commandsMs: number[] = [];
    let webhooksMs: number[] = [];
    const isHeldBack = (transactionId: string): boolean =>
      name === "events" && choose(Buffer.from(transactionId), partitions) === LAME;
    const check = async (replica: Replica): Promise<void> => {
      if (!(await replica.isReady()))
        unready.push(`${replica.name} ${JSON.stringify(await replica.components())}`);
    };
    const checkReady = setInterval(() => {
      // One that is under way when the test ends meets a replica that has stopped.
      for (const replica of replicas) check(replica).catch(() => unready.push(`${replica.name} is away`));
    }, 250);
    onTestFinished(() => clearInterval(checkReady));

    const postOne = async (replica: Replica): Promise<void> => {
      const transactionId = randomUUID();
      if (isHeldBack(transactionId)) {
        if (replicas.length === 2) return;
        heldBack += 1;
        void post(replica, transactionId).then((status) => refusals.push(status));
        return;
      }
      const startedAt = performance.now();
      statuses.push(await post(replica, transactionId));
      webhooksMs.push(performance.now() - startedAt);
    };
    const round = async (): Promise<void> => {
      const batch = newAccepts(A_ROUND);
      const isLame = (accept: Accept): boolean => isLameIn[name](accept, partitions);
      for (const accept of batch) if (!isLame(accept)) sentAt.set(accept.commandId, performance.now());
      await accepts.submit(batch.filter((accept) => name !== "commands" || !isLame(accept)));
      await Promise.all(
        replicas.flatMap((replica) => Array.from({ length: A_ROUND }, () => postOne(replica))),
      );
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    };
    /** How long commands took that were answered, or wait still, and webhooks. */
    const roundsFor = async (ms: number): Promise<{ commands: number[]; webhooks: number[] }> => {
      [commandsMs, webhooksMs] = [[], []];
      for (const until = Date.now() + ms; Date.now() < until;) await round();
      const waiting = [...sentAt.values()].map((sent) => performance.now() - sent);
      return { commands: [...commandsMs, ...waiting], webhooks: webhooksMs };
    };

    await roundsFor(3_000);
    const before = await roundsFor(BEFORE_MS);
    await third!.stop();
    let startedWithin: number;
    let meanwhile: typeof before;
    try {
      await eventually(async () => (await view())[LAME]!.leader < 0, "no leader", GONE_WITHIN_MS);
      await roundsFor(2_000);
      const startedAt = Date.now();
      const late = await world.startReplica();
      await late.untilReady(2 * WITHIN_MS);
      startedWithin = Date.now() - startedAt;
      replicas.push(late);
      await roundsFor(3_000);
      meanwhile = await roundsFor(OUTAGE_MS);
      await eventually(() => refusals.length >= heldBack, "every refusal", WITHIN_MS);
    } finally {
      await third!.start();
    }
    await eventually(async () => (await view())[LAME]!.leader === third!.id, "the leader", GONE_WITHIN_MS);
    const healing = Date.now();
    const all = Array.from({ length: 12 }, () => randomUUID());
    for (const replica of replicas)
      await eventually(
        async () => (await Promise.all(all.map((id) => post(replica, id)))).every((status) => status === 200),
        "all webhooks",
        WITHIN_MS,
      );
    const wholeMs = Date.now() - healing;
    await eventually(() => accepts.answered() >= accepts.sent(), "every result", WITHIN_MS);
    const answeredMs = Date.now() - healing;
    await accepts.send(30);
    const tally = await accepts.settle(60_000);
    for (const flow of ["commands", "webhooks"] as const)
      console.log(
        `${name}: ${flow} before: ${spreadOf(before[flow])}; meanwhile: ${spreadOf(meanwhile[flow])}`,
      );
    console.log(
      `${name}: a start took ${startedWithin} ms; webhooks whole ${wholeMs} ms after the leader was back, ` +
        `commands ${answeredMs} ms; ${JSON.stringify(tally)}`,
    );
    const eventIds = await eventIdsIn(world.brokers, world.topics.events);
    expect(written.filter((id) => !eventIds.has(id))).toEqual([]);
    expect(new Set(refusals)).toEqual(new Set(name === "events" ? [503] : []));
    expect(unready).toEqual([]);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(Math.max(...meanwhile.commands)).toBeLessThan(WITHIN_MS);
    expect(tally).toMatchObject(correctTally(accepts.sent()));
  },
  180_000 + 3 * OUTAGE_MS,
);
