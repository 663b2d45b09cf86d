import kafkajs, { type Admin, type ConfigResourceTypes } from "kafkajs";
import type { Clock } from "../../runtime/clock.ts";
import type { NewClient } from "../client.ts";
import { protocolErrorOf } from "../errors.ts";
import type { Range } from "../consume/tail.ts";
import type { Committed } from "../mark.ts";

/** A topic as the cluster has it. `config` is empty where describing it is not allowed. */
export type FoundTopic = {
  name: string;
  partitions: number;
  replicationFactor: number;
  config: Readonly<Record<string, string>>;
};

/** A consumer group, in Kafka's words. Of a member that is just joining no partitions are told. */
export type FoundGroup = {
  state: string;
  members: readonly {
    clientId: string;
    host: string;
    partitions: Readonly<Record<string, readonly number[]>>;
  }[];
};

/** What is asked of a cluster outside of reading and writing. Every question is bounded; rejects when it is not answered. */
export type Cluster = {
  find(names: readonly string[]): Promise<Map<string, FoundTopic>>;
  /** Where the cluster says that its brokers are, each as host:port. */
  brokers(): Promise<readonly string[]>;
  /** The offsets that every partition of a topic holds; from the first one that is not older than `sinceMs`, where that is given. */
  ranges(topic: string, sinceMs?: number): Promise<ReadonlyMap<number, Range>>;
  /** In every partition, the first offset that is not older than an instant; the end where none is. */
  offsetsAt(topic: string, timestampMs: number): Promise<ReadonlyMap<number, number>>;
  /** What a group has committed for the partitions of a topic. Of none is nothing said but by Kafka itself. */
  committed(groupId: string, topic: string): Promise<ReadonlyMap<number, Committed>>;
  group(groupId: string): Promise<FoundGroup>;
  /** The replication factor that a topic gets when none is asked for; null where that may not be known. */
  defaultReplicationFactor(): Promise<number | null>;
  create(topic: {
    name: string;
    partitions: number;
    replicationFactor: number;
    config: Readonly<Record<string, string>>;
  }): Promise<void>;
  close(): Promise<void>;
};

const TIMEOUT_MS = 10_000;
const RECHECK_EVERY_MS = 50;

const configOf = async (
  admin: Admin,
  type: ConfigResourceTypes,
  name: string,
): Promise<Record<string, string>> => {
  try {
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ type, name }],
    });
    const entries = resources[0]?.configEntries ?? [];
    return Object.fromEntries(entries.map(({ configName, configValue }) => [configName, configValue]));
  } catch {
    // Describing needs a right of its own. Without it the checks that depend on it are left out.
    return {};
  }
};

const hasLeaders = async (admin: Admin, topic: string): Promise<boolean> => {
  try {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    const partitions = topics[0]?.partitions ?? [];
    return partitions.length > 0 && partitions.every(({ leader }) => leader >= 0);
  } catch {
    return false;
  }
};

const disconnect = (admin: Admin, clock: Clock): Promise<void> =>
  clock.withDeadline(TIMEOUT_MS, undefined, () => admin.disconnect()).catch(() => undefined);

const lazyCluster = (
  newClient: NewClient,
  clock: Clock,
  { forgetsMissing: reconnectsAfterMissing }: { forgetsMissing: boolean },
): { cluster: Cluster; connect: () => Promise<void> } => {
  let admin: Promise<Admin> | null = null;
  let closed = false;

  const connect = async (): Promise<Admin> => {
    const fresh = newClient().admin();
    try {
      await fresh.connect();
    } catch (error) {
      void disconnect(fresh, clock);
      throw error;
    }
    return fresh;
  };
  const close = async (): Promise<void> => {
    const last = admin;
    admin = null;
    await last?.then((open) => disconnect(open, clock)).catch(() => undefined);
  };

  /**
   * kafkajs goes on asking a broker that no longer leads until its metadata are five minutes old: the question after a failed one begins
   * with a new client. Of a topic that is not there it finds out by itself whether it has come.
   */
  const ask = async <T>(question: (admin: Admin, signal: AbortSignal) => Promise<T>): Promise<T> => {
    if (closed) throw new Error("closed");
    const asked = (admin ??= connect());
    try {
      return await clock.withDeadline(TIMEOUT_MS, undefined, async (signal) => question(await asked, signal));
    } catch (error) {
      const isMissing = protocolErrorOf(error) === "UNKNOWN_TOPIC_OR_PARTITION";
      if (admin === asked && (reconnectsAfterMissing || !isMissing)) void close();
      throw error;
    }
  };

  const cluster: Cluster = {
    close: async () => {
      closed = true;
      await clock.withDeadline(TIMEOUT_MS, undefined, close).catch(() => undefined);
    },
    find: (names) =>
      ask(async (admin) => {
        const existing = new Set(await admin.listTopics());
        const wanted = names.filter((name) => existing.has(name));
        if (wanted.length === 0) return new Map();
        const { topics } = await admin.fetchTopicMetadata({ topics: wanted });
        const found = topics.map(async ({ name, partitions }): Promise<[string, FoundTopic]> => {
          const config = await configOf(admin, kafkajs.ConfigResourceTypes.TOPIC, name);
          const replicationFactor = Math.min(...partitions.map(({ replicas }) => replicas.length));
          return [name, { name, partitions: partitions.length, replicationFactor, config }];
        });
        return new Map(await Promise.all(found));
      }),
    brokers: () =>
      ask(async (admin) => {
        const { brokers } = await admin.describeCluster();
        return brokers.map(({ host, port }) => `${host.includes(":") ? `[${host}]` : host}:${port}`);
      }),
    ranges: (topic, sinceMs) =>
      ask(async (admin) => {
        const bounds = await admin.fetchTopicOffsets(topic);
        const since = sinceMs === undefined ? [] : await admin.fetchTopicOffsetsByTimestamp(topic, sinceMs);
        const from = new Map(since.map(({ partition, offset }) => [partition, Number(offset)]));
        return new Map(
          bounds.map(({ partition, low, high }) => {
            // Where nothing is so young, kafkajs gives the end, or -1.
            const start = from.get(partition) ?? Number(low);
            return [partition, { startOffset: start < 0 ? Number(high) : start, endOffset: Number(high) }];
          }),
        );
      }),
    offsetsAt: (topic, timestampMs) =>
      ask(async (admin) => {
        const offsets = await admin.fetchTopicOffsetsByTimestamp(topic, timestampMs);
        return new Map(offsets.map(({ partition, offset }) => [partition, Number(offset)]));
      }),
    committed: (groupId, topic) =>
      ask(async (admin) => {
        const [found] = await admin.fetchOffsets({ groupId, topics: [topic] });
        // Also a group that has committed nothing is told of by partition.
        if (!found || found.partitions.length === 0) throw new Error(`no offsets of ${topic} in the answer`);
        return new Map(
          found.partitions
            .map(({ partition, offset, metadata }): [number, Committed] => [
              partition,
              { offset: Number(offset), note: metadata ?? "" },
            ])
            // Below zero: none, or wherever the log begins.
            .filter(([, { offset }]) => offset >= 0),
        );
      }),
    group: (groupId) =>
      ask(async (admin) => {
        const [found] = (await admin.describeGroups([groupId])).groups;
        if (!found) throw new Error(`no group ${groupId} in the answer`);
        const members = found.members.map(({ clientId, clientHost, memberAssignment }) => ({
          clientId,
          // Java writes an address with a slash before it.
          host: clientHost.replace(/^.*\//, ""),
          // Without bytes, before its first assignment, there is none.
          partitions: kafkajs.AssignerProtocol.MemberAssignment.decode(memberAssignment)?.assignment ?? {},
        }));
        return { state: found.state, members };
      }),
    defaultReplicationFactor: () =>
      ask(async (admin) => {
        const { brokers } = await admin.describeCluster();
        const broker = brokers[0];
        if (!broker) return null;
        const value = (await configOf(admin, kafkajs.ConfigResourceTypes.BROKER, String(broker.nodeId)))[
          "default.replication.factor"
        ];
        return value === undefined ? null : Number(value);
      }),
    create: ({ name, partitions, replicationFactor, config }) =>
      ask(async (admin, signal) => {
        await admin.createTopics({
          // kafkajs gives up on its own wait when a broker has not heard of the topic yet.
          waitForLeaders: false,
          topics: [
            {
              topic: name,
              numPartitions: partitions,
              replicationFactor,
              configEntries: Object.entries(config).map(([key, value]) => ({ name: key, value })),
            },
          ],
        });
        while (!(await hasLeaders(admin, name))) await clock.sleep(RECHECK_EVERY_MS, signal);
      }),
  };
  return { cluster, connect: () => ask(() => Promise.resolve()) };
};

/**
 * Connects with the first question. For questions on many topics, some of which may be missing: kafkajs asks for all that it was ever asked
 * for, and with one of them missing every question would fail.
 */
export const createCluster = (newClient: NewClient, clock: Clock): Cluster =>
  lazyCluster(newClient, clock, { forgetsMissing: true }).cluster;

/** Rejects when no broker can be reached. */
export const connectCluster = async (newClient: NewClient, clock: Clock): Promise<Cluster> => {
  const { cluster, connect } = lazyCluster(newClient, clock, { forgetsMissing: false });
  await connect();
  return cluster;
};
