import { randomUUID } from "node:crypto";
import kafkajs, { Kafka, logLevel, type Admin } from "kafkajs";
import { stopIdleTimers } from "../../src/kafka/kafkajs-fixes/idle-timers.ts";
import { eventually } from "./eventually.ts";

// Plain kafkajs: nothing here comes from the bridge's sources, except that it sets no timers that Node.js 24
// warns of.

/** The protocol's number for the source of a setting that was made for one topic (DYNAMIC_TOPIC_CONFIG). */
const OWN_SETTING = 1;

export const clientOf = (brokers: string): Kafka => {
  stopIdleTimers();
  return new Kafka({ brokers: brokers.split(","), logLevel: logLevel.NOTHING, retry: { retries: 10 } });
};

export const askAdmin = async <T>(brokers: string, ask: (admin: Admin) => Promise<T>): Promise<T> => {
  const admin = clientOf(brokers).admin();
  await admin.connect();
  try {
    return await ask(admin);
  } finally {
    await admin.disconnect();
  }
};

/** Creates a topic of a test's own. @returns its name */
export const createTopic = async (brokers: string, numPartitions: number): Promise<string> => {
  const topic = `topic-${randomUUID()}`;
  await askAdmin(brokers, async (admin) => {
    // The wait of kafkajs for leaders fails if the broker that it asks does not know the topic yet.
    await admin.createTopics({ topics: [{ topic, numPartitions }], waitForLeaders: false });
    await eventually(async () => {
      const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
      return topics[0]?.partitions.filter(({ leader }) => leader >= 0).length === numPartitions;
    }, `${topic} to have its leaders`);
  });
  return topic;
};

/** The sum of a topic's end offsets. */
export const endTotal = async (brokers: string, topic: string): Promise<number> => {
  const ends = await askAdmin(brokers, (admin) => admin.fetchTopicOffsets(topic));
  return ends.reduce((sum, { high }) => sum + Number(high), 0);
};

/** Sum of a group's committed offsets over all partitions of a topic. */
export const committedTotal = async (brokers: string, groupId: string, topic: string): Promise<number> => {
  const [offsets] = await askAdmin(brokers, (admin) => admin.fetchOffsets({ groupId, topics: [topic] }));
  return (offsets?.partitions ?? []).reduce((sum, { offset }) => sum + Math.max(0, Number(offset)), 0);
};

/** The id of the broker that leads a partition; -1 for none. */
export const leaderOf = async (brokers: string, topic: string, partition: number): Promise<number> => {
  const { topics } = await askAdmin(brokers, (admin) => admin.fetchTopicMetadata({ topics: [topic] }));
  return topics[0]?.partitions.find(({ partitionId }) => partitionId === partition)?.leader ?? -1;
};

/** Moves the replicas of a topic's partitions, the leader first. */
export const reassign = (brokers: string, topic: string, replicas: readonly number[][]): Promise<unknown> =>
  askAdmin(brokers, (admin) =>
    admin.alterPartitionReassignments({
      topics: [
        { topic, partitionAssignment: replicas.map((of, partition) => ({ partition, replicas: [...of] })) },
      ],
    }),
  );

/** Changes some settings of a topic. */
export const setTopicConfig = (
  brokers: string,
  topic: string,
  changes: Readonly<Record<string, string>>,
): Promise<void> =>
  askAdmin(brokers, async (admin) => {
    const type = kafkajs.ConfigResourceTypes.TOPIC;
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ type, name: topic }],
    });
    // AlterConfigs replaces all settings of the topic, so the unchanged ones must be sent too.
    const own = (resources[0]?.configEntries ?? [])
      .filter(({ configSource }) => (configSource as number) === OWN_SETTING)
      .map(({ configName, configValue }): [string, string] => [configName, configValue]);
    const configEntries = Object.entries({ ...Object.fromEntries(own), ...changes }).map(([name, value]) => ({
      name,
      value,
    }));
    await admin.alterConfigs({ validateOnly: false, resources: [{ type, name: topic, configEntries }] });
    // The controller took it; the broker that is asked may hear of it a moment later.
    await eventually(
      async () => {
        const { resources: now } = await admin.describeConfigs({
          includeSynonyms: false,
          resources: [{ type, name: topic, configNames: Object.keys(changes) }],
        });
        const seen = new Map(now[0]?.configEntries.map((entry) => [entry.configName, entry.configValue]));
        return Object.entries(changes).every(([name, value]) => seen.get(name) === value);
      },
      `${topic} to have its settings`,
      20_000,
    );
  });
