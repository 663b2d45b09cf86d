import type { Admin, GroupDescriptions, Kafka } from "kafkajs";
import { afterEach, describe, expect, it, vi } from "vitest";
import { connectCluster } from "../../../../src/kafka/cluster/cluster.ts";
import { systemClock } from "../../../../src/runtime/clock.ts";

afterEach(() => void vi.useRealTimers());

const failure = (type: string): Error => Object.assign(new Error(type), { type });

/** A cluster whose clients answer so. */
const clusterOf = (admin: Partial<Admin>) => {
  const nothing = () => Promise.resolve();
  const client = { admin: () => ({ connect: nothing, disconnect: nothing, ...admin }) };
  return connectCluster(() => client as unknown as Kafka, systemClock);
};

type Step = { resolve: () => void; reject: (error: Error) => void };

/** A cluster whose steps block until the test releases them; the first connection is made at once. */
const held = async () => {
  const clients: { connecting: Step; asked: Step[]; closed: number }[] = [];
  const step = (take: (step: Step) => void) =>
    new Promise<void>((resolve, reject) => take({ resolve, reject }));
  const newClient = () => {
    const nothing = { resolve: () => undefined, reject: () => undefined };
    const client = { connecting: nothing as Step, asked: [] as Step[], closed: 0 };
    clients.push(client);
    const admin: Partial<Admin> = {
      connect: () => (clients.length === 1 ? Promise.resolve() : step((held) => (client.connecting = held))),
      disconnect: () => Promise.resolve(void (client.closed += 1)),
      describeGroups: async () => {
        await step((held) => void client.asked.push(held));
        return { groups: [{ state: "Empty", members: [] }] } as unknown as GroupDescriptions;
      },
    };
    return { admin: () => admin } as unknown as Kafka;
  };
  const cluster = await connectCluster(newClient, systemClock);
  /** The outcome of a request: its answer, or the error. */
  const ask = (): Promise<string> =>
    cluster
      .group("g")
      .then(({ state }) => state)
      .catch((error: unknown) => (error as Error).message);
  /** Long enough for whatever is not held. */
  const turns = () => new Promise((resolve) => setImmediate(resolve));
  const closed = () => clients.map((client) => client.closed);
  /** The first client's first question fails, and the client with it. */
  const failed = async (): Promise<void> => {
    const failing = ask();
    await turns();
    clients[0]?.asked[0]?.reject(new Error("reset"));
    await failing;
  };
  return { cluster, clients, ask, turns, closed, failed };
};

describe("a client whose request failed", () => {
  it("is closed and replaced while another request is under way, whose failure does not affect the new client", async () => {
    const { cluster, clients, ask, turns, closed } = await held();
    const [slow, failing] = [ask(), ask()];
    await turns();
    clients[0]?.asked[1]?.reject(failure("NOT_LEADER_FOR_PARTITION"));
    expect(await failing).toBe("NOT_LEADER_FOR_PARTITION");
    expect(closed()).toEqual([1]);

    const later = [ask(), ask()];
    await turns();
    expect(closed(), "both wait for one new client").toEqual([1, 0]);
    clients[1]?.connecting.resolve();
    await turns();
    clients[0]?.asked[0]?.reject(new Error("closed under it"));
    expect(await slow).toBe("closed under it");
    for (const asked of clients[1]?.asked ?? []) asked.resolve();
    expect(await Promise.all(later)).toEqual(["Empty", "Empty"]);
    expect(closed()).toEqual([1, 0]);
    await cluster.close();
    expect(closed()).toEqual([1, 1]);
  });

  it("is also replaced after a timeout", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { cluster, ask, closed } = await held();
    const unanswered = ask();
    await vi.advanceTimersByTimeAsync(9_999);
    expect(closed()).toEqual([0]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await unanswered).toBe("no answer within 10000 ms");
    expect(closed()).toEqual([1]);
    await cluster.close();
    expect(closed()).toEqual([1]);
  });

  it("is closed too when it does not connect, and the next request gets another one", async () => {
    const { cluster, clients, ask, turns, closed, failed } = await held();
    await failed();
    const unconnected = ask();
    await turns();
    clients[1]?.connecting.reject(new Error("no broker"));
    expect(await unconnected).toBe("no broker");
    expect(closed()).toEqual([1, 1]);
    const third = ask();
    await turns();
    clients[2]?.connecting.resolve();
    await turns();
    clients[2]?.asked[0]?.resolve();
    expect(await third).toBe("Empty");
    await cluster.close();
    expect(closed()).toEqual([1, 1, 1]);
  });
});

it("closing leaves nothing open of a new client that is still connecting, and takes no more questions", async () => {
  const { cluster, clients, ask, turns, closed, failed } = await held();
  await failed();
  const waiting = ask();
  await turns();
  let isClosed = false;
  const closing = cluster.close().then(() => (isClosed = true));
  await turns();
  expect([isClosed, ...closed()], "it waits for the connection").toEqual([false, 1, 0]);
  clients[1]?.connecting.resolve();
  await closing;
  expect(closed()).toEqual([1, 1]);
  clients[1]?.asked[0]?.reject(new Error("closed under it"));
  await waiting;
  expect(await ask()).toBe("closed");
  expect(closed()).toEqual([1, 1]);
});

it("bounds the wait for the leaders of a new topic", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const fetchTopicMetadata = vi.fn(() => Promise.resolve({ topics: [] }));
  const cluster = await clusterOf({ createTopics: () => Promise.resolve(true), fetchTopicMetadata });
  const created = cluster
    .create({ name: "t", partitions: 1, replicationFactor: 1, config: {} })
    .catch((error: unknown) => (error as Error).message);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await created).toBe("no answer within 10000 ms");
  const looks = fetchTopicMetadata.mock.calls.length;
  expect(looks).toBeGreaterThan(1);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(fetchTopicMetadata).toHaveBeenCalledTimes(looks);
  expect(vi.getTimerCount()).toBe(0);
  await cluster.close();
});

describe("a topic whose configuration cannot be read", () => {
  /** A cluster with the topic "t". */
  const describing = (refusal: Error) => {
    const partition = { partitionErrorCode: 0, partitionId: 0, leader: 1, replicas: [1], isr: [1] };
    return clusterOf({
      listTopics: () => Promise.resolve(["t"]),
      fetchTopicMetadata: () => Promise.resolve({ topics: [{ name: "t", partitions: [partition] }] }),
      describeConfigs: () => Promise.reject(refusal),
    });
  };

  it.each([
    failure("TOPIC_AUTHORIZATION_FAILED"),
    // A topic that was just created, asked of a broker that does not know it yet.
    failure("UNKNOWN_TOPIC_OR_PARTITION"),
    Object.assign(new Error("no such request"), { name: "KafkaJSServerDoesNotSupportApiKey" }),
  ])("is found without it if the broker refuses: $message", async (refusal) => {
    const topics = await (await describing(refusal)).find(["t"]);
    expect(topics.get("t")).toMatchObject({ partitions: 1, config: {} });
  });

  it.each([failure("REQUEST_TIMED_OUT"), new Error("Connection timeout")])(
    "is not found if the broker does not answer: $message",
    async (outage) => {
      await expect((await describing(outage)).find(["t"])).rejects.toThrow(outage.message);
    },
  );
});

it.each([
  "Cannot read properties of null (reading 'topics')",
  "Cannot destructure property 'topicMetadata' of '(intermediate value)' as it is null.",
])("says in words that no broker answered a request for metadata, where kafkajs says %s", async (text) => {
  const cluster = await clusterOf({ listTopics: () => Promise.reject(new TypeError(text)) });
  await expect(cluster.find(["t"])).rejects.toThrow("no broker answered the request for metadata");
});
