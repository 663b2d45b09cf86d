import kafkajs, { type Admin, type ConfigResourceTypes, type MemberDescription } from "kafkajs";
import type { Clock } from "../../runtime/clock.ts";
import type { NewClient } from "../client.ts";
import { isRequestRefused, metadataError, protocolErrorOf } from "../errors.ts";
import { opened, type Opened } from "../kafkajs-fixes/hedged.ts";
import { openInternalCluster, type InternalCluster } from "../kafkajs-fixes/internal-cluster.ts";
import type { TopicRanges } from "../ranges.ts";
import type { Committed } from "../mark.ts";
import { askRanges, EARLIEST_MS, LATEST_MS } from "./ask-ranges.ts";

type Topic = {
  name: string;
  partitions: number;
  replicationFactor: number;
  config: Readonly<Record<string, string>>;
};
export type FoundTopic = Topic & { states: readonly PartitionState[] };

/** By the ids of brokers: the leader, -1 for none, and those with a copy and with one that is in sync. */
type PartitionState = {
  partition: number;
  leader: number;
  replicas: readonly number[];
  inSync: readonly number[];
};

export type Cluster = Awaited<ReturnType<typeof connectCluster>>;

const TIMEOUT_MS = 10_000;
const RECHECK_EVERY_MS = 50;

const configOf = async (admin: Admin, type: ConfigResourceTypes, name: string): Promise<Topic["config"]> => {
  try {
    const resource = { type, name };
    const { resources } = await admin.describeConfigs({ includeSynonyms: false, resources: [resource] });
    const entries = resources[0]?.configEntries ?? [];
    return Object.fromEntries(entries.map(({ configName, configValue }) => [configName, configValue]));
  } catch (error) {
    // DescribeConfigs is a right of its own. Without it the checks that need configurations are skipped.
    if (isRequestRefused(error)) return {};
    throw error;
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

const memberOf = ({ clientId, clientHost, memberAssignment }: MemberDescription) => ({
  clientId,
  // Java formats an address as name/address.
  host: clientHost.replace(/^.*\//, ""),
  // Empty before the first assignment: decodes to null.
  partitions: kafkajs.AssignerProtocol.MemberAssignment.decode(memberAssignment)?.assignment ?? {},
});

type Connection = ReturnType<typeof newConnection>;

const newConnection = (newClient: NewClient) => {
  const client = newClient();
  const admin = client.admin();
  let cluster: InternalCluster | null = null;
  return {
    admin,
    internal: () => (cluster ??= openInternalCluster(client)),
    connect: () => admin.connect(),
    disconnect: async () => {
      await Promise.all([admin.disconnect(), cluster?.disconnect()]);
    },
  };
};

/** Metadata of a cluster. Every request is bounded in time, and rejects where it is not answered. */
export const connectCluster = async (newClient: NewClient, clock: Clock) => {
  let connection: Promise<Opened<Connection>> | null = null;
  let closed = false;

  const close = async (): Promise<void> => {
    const last = connection;
    connection = null;
    await last?.then((open) => open.close()).catch(() => undefined);
  };

  /** A failed request is followed by one of a new client: kafkajs asks a former leader for up to five minutes. */
  const ask = async <T>(question: (open: Connection, signal: AbortSignal) => Promise<T>): Promise<T> => {
    if (closed) throw new Error("closed");
    const connected = (connection ??= opened(clock, () => newConnection(newClient)));
    try {
      return await clock.withDeadline(TIMEOUT_MS, undefined, async (signal) =>
        question((await connected).client, signal),
      );
    } catch (error) {
      const isMissing = protocolErrorOf(error) === "UNKNOWN_TOPIC_OR_PARTITION";
      if (connection === connected && !isMissing) void close();
      throw metadataError(error);
    }
  };

  await ask(() => Promise.resolve());
  return {
    close: async (): Promise<void> => {
      closed = true;
      await clock.withDeadline(TIMEOUT_MS, undefined, close).catch(() => undefined);
    },
    find: (names: readonly string[]): Promise<Map<string, FoundTopic>> =>
      ask(async ({ admin }) => {
        const existing = new Set(await admin.listTopics());
        const existingNames = names.filter((name) => existing.has(name));
        if (existingNames.length === 0) return new Map<string, FoundTopic>();
        const { topics } = await admin.fetchTopicMetadata({ topics: existingNames });
        const entries = topics.map(async ({ name, partitions }): Promise<[string, FoundTopic]> => {
          const config = await configOf(admin, kafkajs.ConfigResourceTypes.TOPIC, name);
          const replicationFactor = Math.min(...partitions.map(({ replicas }) => replicas.length));
          const states = partitions.map(({ partitionId, leader, replicas, isr }) => ({
            partition: partitionId,
            leader,
            replicas,
            inSync: isr,
          }));
          return [name, { name, partitions: partitions.length, replicationFactor, config, states }];
        });
        return new Map(await Promise.all(entries));
      }),
    /** The offsets of each partition, from the first record that is not older than `sinceMs`, to `untilMs`. */
    ranges: (topic: string, sinceMs = EARLIEST_MS, untilMs = LATEST_MS): Promise<TopicRanges> =>
      ask(async ({ internal }) => {
        const { isFaulty, ...ranges } = await askRanges(internal(), topic, { sinceMs, untilMs }, clock);
        if (isFaulty) void close();
        return ranges;
      }),
    /** What a group has committed, by partition of a topic; rejects rather than give an incomplete answer. */
    committed: (groupId: string, topic: string): Promise<ReadonlyMap<number, Committed>> =>
      ask(async ({ admin }) => {
        const [answer] = await admin.fetchOffsets({ groupId, topics: [topic] });
        const partitions = answer?.partitions ?? [];
        // Kafka lists every partition, also for a group that has committed nothing.
        if (partitions.length === 0) throw new Error(`no offsets of ${topic} in the answer`);
        const committed = partitions.map(({ partition, offset, metadata }): [number, Committed] => [
          partition,
          { offset: Number(offset), note: metadata ?? "" },
        ]);
        return new Map(committed.filter(([, { offset }]) => offset >= 0));
      }),
    group: (groupId: string): Promise<{ state: string; members: ReturnType<typeof memberOf>[] }> =>
      ask(async ({ admin }) => {
        const [group] = (await admin.describeGroups([groupId])).groups;
        if (!group) throw new Error(`no group ${groupId} in the answer`);
        return { state: group.state, members: group.members.map(memberOf) };
      }),
    /** The brokers' default.replication.factor; null without the right to read it. */
    defaultReplicationFactor: (): Promise<number | null> =>
      ask(async ({ admin }) => {
        const [broker] = (await admin.describeCluster()).brokers;
        if (!broker) return null;
        const config = await configOf(admin, kafkajs.ConfigResourceTypes.BROKER, String(broker.nodeId));
        const value = config["default.replication.factor"];
        return value === undefined ? null : Number(value);
      }),
    /** Resolves when the topic has leaders, whoever created it; in a dry run when the brokers would create it. */
    create: ({ name, partitions, replicationFactor, config }: Topic, dryRun = false): Promise<void> =>
      ask(async ({ admin }, signal) => {
        const configEntries = Object.entries(config).map(([key, value]) => ({ name: key, value }));
        await admin.createTopics({
          // kafkajs's own wait fails while a broker does not know the topic yet.
          waitForLeaders: false,
          validateOnly: dryRun,
          topics: [{ topic: name, numPartitions: partitions, replicationFactor, configEntries }],
        });
        while (!dryRun && !(await hasLeaders(admin, name))) await clock.sleep(RECHECK_EVERY_MS, signal);
      }),
  };
};
