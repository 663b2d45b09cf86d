import type { Admin, Kafka } from "kafkajs";
import { expect, it } from "vitest";
import { connectCluster } from "../../../../src/kafka/cluster/cluster.ts";
import { systemClock, type Clock } from "../../../../src/runtime/clock.ts";

const failure = (type: string): Error => Object.assign(new Error(type), { type });

/** A cluster whose clients are counted; each answers the next of `answers`, and for ever as its first failure was. */
const asked = async (answers: ("ends" | Error)[]) => {
  const clients = { made: 0, open: 0 };
  const newClient = () => {
    clients.made += 1;
    let stale: Error | null = null;
    const admin: Partial<Admin> = {
      connect: () => Promise.resolve(void (clients.open += 1)),
      disconnect: () => Promise.resolve(void (clients.open -= 1)),
      fetchTopicOffsets: () => {
        const answer = stale ?? answers.shift() ?? "ends";
        if (answer === "ends") return Promise.resolve([{ partition: 0, offset: "7", low: "3", high: "7" }]);
        if (answer.message === "NOT_LEADER_FOR_PARTITION") stale = answer;
        return Promise.reject(answer);
      },
    };
    return { admin: () => admin } as unknown as Kafka;
  };
  return { clients, cluster: await connectCluster(newClient, systemClock) };
};

it("asks with a new client once the old one asked a broker that no longer leads", async () => {
  const { clients, cluster } = await asked(["ends", failure("NOT_LEADER_FOR_PARTITION")]);
  expect(await cluster.ranges("t")).toEqual(new Map([[0, { startOffset: 3, endOffset: 7 }]]));
  await expect(cluster.ranges("t")).rejects.toThrow("NOT_LEADER_FOR_PARTITION");
  expect((await cluster.ranges("t")).size).toBe(1);
  expect(clients).toEqual({ made: 2, open: 1 });
  await cluster.close();
  expect(clients).toEqual({ made: 2, open: 0 });
});

it("keeps the client while a topic is not there", async () => {
  const { clients, cluster } = await asked([failure("UNKNOWN_TOPIC_OR_PARTITION")]);
  await expect(cluster.ranges("t")).rejects.toThrow("UNKNOWN_TOPIC");
  expect((await cluster.ranges("t")).size).toBe(1);
  expect(clients).toEqual({ made: 1, open: 1 });
  await cluster.close();
});

it("makes no new client once it is closed", async () => {
  const { clients, cluster } = await asked([]);
  await cluster.close();
  await expect(cluster.ranges("t")).rejects.toThrow("closed");
  expect(clients).toEqual({ made: 1, open: 0 });
});

it("waits for a new topic's leaders no longer than it waits for an answer", async () => {
  let cut: AbortSignal | undefined;
  const admin: Partial<Admin> = {
    connect: () => Promise.resolve(),
    disconnect: () => Promise.resolve(),
    createTopics: () => Promise.resolve(true),
    fetchTopicMetadata: () => Promise.reject(failure("LEADER_NOT_AVAILABLE")),
  };
  const impatient: Clock = {
    ...systemClock,
    withDeadline: (_, signal, work) => systemClock.withDeadline(20, signal, work),
    sleep: (ms, signal) => systemClock.sleep(ms, (cut = signal)),
  };
  const cluster = await connectCluster(() => ({ admin: () => admin }) as unknown as Kafka, impatient);
  const topic = { name: "t", partitions: 1, replicationFactor: 1, config: {} };
  await expect(cluster.create(topic)).rejects.toThrow("no answer within");
  expect(cut?.aborted).toBe(true);
  await cluster.close();
});
