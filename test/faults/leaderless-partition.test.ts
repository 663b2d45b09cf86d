import { randomUUID } from "node:crypto";
import { expect, it, onTestFinished } from "vitest";
import { quoteKey } from "../../src/commands-to-results/quote-key.ts";
import { newPartitioner } from "../../src/kafka/produce/partitioner.ts";
import { correctTally } from "../support/accept-tally.ts";
import { newAccepts, sendAccepts, type Accept } from "../support/accepts.ts";
import { topicAsSeenBy } from "../support/broker-view.ts";
import { TRUSTING } from "../support/commands-world.ts";
import type { Incoming } from "../../src/kafka/record.ts";
import { startTail } from "../../src/kafka/consume/tail.ts";
import { eventually } from "../support/eventually.ts";
import type { followTopics } from "../support/follow-topics.ts";
import { readerDeps } from "../support/reader-deps.ts";
import { reassign, setTopicConfig } from "../support/kafka.ts";
import type { Replica } from "../support/replica.ts";
import { onAllBrokers, threeBrokers } from "../support/three-brokers.ts";
import { openWorld } from "../support/world.ts";

const OUTAGE_MS = 20_000;
const EVERY_MS = 100;
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

const spreadOf = (sorted: readonly number[]): string =>
  `${sorted[Math.floor(sorted.length * 0.99) - 1]} ms (p99 of ${sorted.length}), ${sorted.at(-1)} ms at most`;

/**
 * Plain kafkajs reads nothing for long once a partition has lost its leader, and writes nothing: the bridge's own
 * client mends both, and replaces what kafkajs works with, for the whole process.
 */
const followWithoutGroup: typeof followTopics = async (brokers, [topic = ""], onRecord) => {
  const deps = readerDeps(brokers);
  const cluster = await deps.connectCluster();
  const take = (record: Incoming): true => {
    onRecord({ ...record, key: record.key?.toString() ?? null, headers: {} });
    return true;
  };
  const tail = startTail(
    { topic },
    { begin: (ranges) => ranges, take },
    { ...deps, ranges: () => cluster.ranges(topic) },
  );
  return async () => {
    await tail.stop();
    await cluster.close();
  };
};

const post = async (to: Replica, transactionId: string): Promise<number> => {
  const body = JSON.stringify({ transactionId, status: "AWAITING_PAYMENT", createdAt: randomUUID() });
  return (await fetch(to.webhookUrl, { method: "POST", body })).status;
};

it.each(["events", "commands", "control", "results", "journal"] as const)(
  "serves everything else while a partition of the %s has no leader, also from a replica that starts meanwhile",
  async (name) => {
    const world = await openWorld(kafka.cluster(), {
      settings: {
        FLOWS: "webhooks,commands",
        ...onAllBrokers,
        COMMANDS_DEADLINE: "10s",
        WEBHOOK_PUBLISH_TIMEOUT: "3s",
      },
      sandboxArgs: TRUSTING,
    });
    onTestFinished(world.close);
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

    const replicas = await Promise.all([world.startReady(), world.startReady()]);
    const accepts = await sendAccepts(world, followWithoutGroup);
    const unready: string[] = [];
    const statuses: number[] = [];
    const sentAt = new Map<string, { ms: number; accept: Accept }>();
    let latenciesMs: number[] = [];
    let partitionOfEvent = (transactionId: string): boolean => transactionId === "";
    if (name === "events")
      partitionOfEvent = (transactionId) => choose(Buffer.from(transactionId), partitions) === LAME;

    const round = async (): Promise<void> => {
      const [accept] = newAccepts(1);
      const isLame = isLameIn[name](accept!, partitions);
      const transactionId = randomUUID();
      if (name !== "commands" || !isLame) await accepts.submit([accept!]);
      if (!isLame) sentAt.set(accept!.commandId, { ms: Date.now(), accept: accept! });
      for (const replica of replicas) {
        if (!(await replica.isReady())) unready.push(JSON.stringify(await replica.components()));
        if (!partitionOfEvent(transactionId)) statuses.push(await post(replica, transactionId));
      }
      for (const [commandId, { ms }] of sentAt) {
        if (!accepts.results.has(commandId)) continue;
        latenciesMs.push(Date.now() - ms);
        sentAt.delete(commandId);
      }
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    };
    /** How long commands took that were answered, or wait still. */
    const roundsFor = async (ms: number): Promise<number[]> => {
      latenciesMs = [];
      for (const until = Date.now() + ms; Date.now() < until;) await round();
      const waiting = [...sentAt.values()].map(({ ms: sentMs }) => Date.now() - sentMs);
      return [...latenciesMs, ...waiting].sort((a, b) => a - b);
    };

    const before = await roundsFor(5_000);
    await third!.stop();
    let startedWithin: number;
    let meanwhile: number[];
    try {
      await eventually(async () => (await view())[LAME]!.leader < 0, "no leader", GONE_WITHIN_MS);
      await roundsFor(2_000);
      const startedAt = Date.now();
      const late = await world.startReplica();
      await late.untilReady(2 * WITHIN_MS);
      startedWithin = Date.now() - startedAt;
      replicas.push(late);
      meanwhile = await roundsFor(OUTAGE_MS);
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
    await accepts.send(30);
    const tally = await accepts.settle(60_000);
    console.log(
      `${name}: commands took ${spreadOf(before)} before, ${spreadOf(meanwhile)} meanwhile; a start took ${startedWithin} ms; ` +
        `whole ${Date.now() - healing} ms after the leader was back; ${JSON.stringify(tally)}`,
    );
    expect(unready).toEqual([]);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(meanwhile.at(-1)).toBeLessThan(WITHIN_MS);
    expect(tally).toMatchObject(correctTally(accepts.sent()));
  },
  240_000,
);
