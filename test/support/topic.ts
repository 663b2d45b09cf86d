import { randomUUID } from "node:crypto";
import { Kafka, logLevel, Partitioners, type KafkaMessage } from "kafkajs";

export type Seen = KafkaMessage & { partition: number };

const quiet = (brokers: string): Kafka =>
  new Kafka({ brokers: brokers.split(","), logLevel: logLevel.NOTHING });

/** Follows a topic from its beginning, with plain kafkajs: no code of the bridge comes into it. */
export const followTopic = async (
  brokers: string,
  topic: string,
  see: (record: Seen) => void,
): Promise<() => Promise<void>> => {
  const consumer = quiet(brokers).consumer({ groupId: `test-${randomUUID()}`, maxWaitTimeInMs: 200 });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await consumer.run({
    autoCommit: false,
    eachBatch: ({ batch }) => {
      for (const message of batch.messages) see({ ...message, partition: batch.partition });
      return Promise.resolve();
    },
  });
  return () => consumer.disconnect();
};

/** Everything that a topic holds now. */
export const readTopic = async (brokers: string, topic: string): Promise<Seen[]> => {
  const admin = quiet(brokers).admin();
  await admin.connect();
  const ends = await admin.fetchTopicOffsets(topic);
  await admin.disconnect();
  const missing = new Map(
    ends.filter(({ low, high }) => low !== high).map((end) => [end.partition, Number(end.high)]),
  );
  const seen: Seen[] = [];
  if (missing.size === 0) return seen;
  await new Promise<void>((resolve, reject) => {
    let stop: (() => Promise<void>) | undefined;
    followTopic(brokers, topic, (record) => {
      const end = missing.get(record.partition);
      if (end === undefined || Number(record.offset) >= end) return;
      seen.push(record);
      if (Number(record.offset) + 1 === end) missing.delete(record.partition);
      if (missing.size === 0) resolve(stop?.());
    }).then((stopped) => {
      stop = stopped;
      if (missing.size === 0) resolve(stop());
    }, reject);
  });
  return seen;
};

/** How many records were ever written to a topic. */
export const endTotal = async (brokers: string, topic: string): Promise<number> => {
  const admin = quiet(brokers).admin();
  await admin.connect();
  const ends = await admin.fetchTopicOffsets(topic);
  await admin.disconnect();
  return ends.reduce((sum, { high }) => sum + Number(high), 0);
};

/** Sum of a group's committed offsets over all partitions of a topic. */
export const committedTotal = async (brokers: string, groupId: string, topic: string): Promise<number> => {
  const admin = quiet(brokers).admin();
  await admin.connect();
  const [offsets] = await admin.fetchOffsets({ groupId, topics: [topic] });
  await admin.disconnect();
  return (offsets?.partitions ?? []).reduce((sum, { offset }) => sum + Math.max(0, Number(offset)), 0);
};

export type Message = { key: string | null; value: string | Buffer | null; headers?: Record<string, string> };

const MESSAGES_PER_REQUEST = 200;

/** Produces with plain kafkajs. */
export const openProducer = async (brokers: string) => {
  const producer = quiet(brokers).producer({
    allowAutoTopicCreation: false,
    createPartitioner: Partitioners.DefaultPartitioner,
  });
  await producer.connect();
  return {
    /** Resolves when all are written. */
    produce: async (topic: string, messages: readonly Message[]): Promise<void> => {
      for (let from = 0; from < messages.length; from += MESSAGES_PER_REQUEST)
        await producer.send({
          topic,
          acks: -1,
          messages: messages.slice(from, from + MESSAGES_PER_REQUEST),
        });
    },
    close: () => producer.disconnect(),
  };
};

/** Produces a few messages; resolves when all are written. */
export const produce = async (
  brokers: string,
  topic: string,
  messages: readonly Message[],
): Promise<void> => {
  const producer = await openProducer(brokers);
  await producer.produce(topic, messages);
  await producer.close();
};

/** The broker that leads a partition. */
export const leaderOf = async (brokers: string, topic: string, partition: number): Promise<number> => {
  const admin = quiet(brokers).admin();
  await admin.connect();
  const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
  await admin.disconnect();
  return topics[0]?.partitions.find(({ partitionId }) => partitionId === partition)?.leader ?? -1;
};
