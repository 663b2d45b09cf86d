import { randomUUID } from "node:crypto";
import type { IHeaders } from "kafkajs";
import { eventually } from "./eventually.ts";
import { askAdmin, clientOf } from "./kafka.ts";

export type TopicRecord = {
  topic: string;
  partition: number;
  offset: number;
  timestampMs: number;
  key: string | null;
  value: Buffer | null;
  headers: Record<string, string>;
};

const textsOf = (headers: IHeaders | undefined): Record<string, string> =>
  Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name, String(value)]));

/**
 * Calls `onRecord` for every record of topics, from their beginning on. Resolves with a function that stops
 * it.
 */
export const followTopics = async (
  brokers: string,
  topics: readonly string[],
  onRecord: (record: TopicRecord) => void,
): Promise<() => Promise<void>> => {
  const consumer = clientOf(brokers).consumer({ groupId: `reader-${randomUUID()}`, maxWaitTimeInMs: 100 });
  await consumer.connect();
  await consumer.subscribe({ topics: [...topics], fromBeginning: true });
  await consumer.run({
    eachBatch: ({ batch: { topic, partition, messages } }) => {
      for (const { offset, timestamp, key, value, headers } of messages)
        onRecord({
          topic,
          partition,
          offset: Number(offset),
          timestampMs: Number(timestamp),
          key: key?.toString() ?? null,
          value,
          headers: textsOf(headers),
        });
      return Promise.resolve();
    },
  });
  return () => consumer.disconnect();
};

/** Follows topics, and collects every record. */
export const follow = async (brokers: string, topics: readonly string[]) => {
  const records: TopicRecord[] = [];
  const stop = await followTopics(brokers, topics, (record) => void records.push(record));
  const of = (topic: string): TopicRecord[] => records.filter((record) => record.topic === topic);
  return {
    records,
    of,
    /** Waits for `count` records of a topic that fit. */
    until: async (
      topic: string,
      fits: (record: TopicRecord) => boolean,
      count = 1,
      withinMs = 30_000,
    ): Promise<TopicRecord[]> => {
      const found = () => of(topic).filter(fits);
      await eventually(() => found().length >= count, `${count} such records in ${topic}`, withinMs);
      return found();
    },
    stop,
  };
};

export type Following = Awaited<ReturnType<typeof follow>>;

/** All records that a topic holds now. */
export const readTopic = async (brokers: string, topic: string): Promise<TopicRecord[]> => {
  const ends = await askAdmin(brokers, (admin) => admin.fetchTopicOffsets(topic));
  const missing = new Map(
    ends.filter(({ low, high }) => low !== high).map(({ partition, high }) => [partition, Number(high)]),
  );
  const seen: TopicRecord[] = [];
  if (missing.size === 0) return seen;
  const stop = await followTopics(brokers, [topic], (record) => {
    const end = missing.get(record.partition);
    if (end === undefined || record.offset >= end) return;
    seen.push(record);
    if (record.offset + 1 === end) missing.delete(record.partition);
  });
  try {
    await eventually(() => missing.size === 0, `the end of ${topic}`, 60_000);
  } finally {
    await stop();
  }
  return seen;
};
