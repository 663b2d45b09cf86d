import { CompressionTypes, type RecordMetadata } from "kafkajs";
import type { Clock } from "../../runtime/clock.ts";
import type { NewClient } from "../client.ts";
import { errorOfCode, brokerRefusal, metadataError } from "../errors.ts";
import { gzipBatch, recordBatch } from "./record-batch.ts";
import { hedged, HEDGE, opened, STEP_TIMEOUT_MS } from "../kafkajs-fixes/hedged.ts";
import { preparedMessage, type PreparedMessage } from "../kafkajs-fixes/prepared-batches.ts";
import type { PendingRecord } from "./backlog.ts";

/** By partition that was written, the offset of the first record. */
export type FirstOffsets = ReadonlyMap<number, number>;
/** `failure`: why other partitions were not written. */
export type SendResult = { firstOffsets: FirstOffsets; failure: Error | null };

/** A single record from this size on is compressed: brokers compare max.message.bytes with the compressed size. */
const COMPRESS_FROM_BYTES = 128 * 1024;

const encodeMessage = async ([partition, items]: [number, PendingRecord[]], nowMs: number) => {
  const records = items.map(({ record }) => record);
  const batch = recordBatch(records, nowMs);
  const isLarge = records.length === 1 && batch.length >= COMPRESS_FROM_BYTES;
  return preparedMessage(partition, isLarge ? await gzipBatch(batch) : batch);
};

const resultOf = (
  topic: string,
  messages: readonly PreparedMessage[],
  answers: readonly RecordMetadata[],
): SendResult => {
  const firstOffsets = new Map<number, number>();
  const failures: Error[] = [];
  for (const { partition, errorCode, baseOffset } of answers) {
    if (errorCode !== 0) failures.push(errorOfCode(errorCode));
    else if (baseOffset !== undefined) firstOffsets.set(partition, Number(baseOffset));
  }
  // kafkajs may resolve although it has not sent the records of some partition: only an acknowledgement is proof.
  const unacknowledged = messages.find(({ partition }) => !firstOffsets.has(partition));
  if (unacknowledged && failures.length === 0)
    failures.push(new Error(`no acknowledgement for ${topic}, partition ${unacknowledged.partition}`));
  // A failure that a retry may mend comes first: a refusal would give up the records of all partitions.
  const failure = failures.find((error) => brokerRefusal(error) === null) ?? failures[0] ?? null;
  return { firstOffsets, failure };
};

export type LeaderLookup = Awaited<ReturnType<typeof openLeaderLookup>>;

export const openLeaderLookup = async (topic: string, newClient: NewClient, clock: Clock) => {
  const { client: admin, close } = await opened(clock, () => newClient().admin());
  return {
    close,
    /** The leaders' node ids, by partition; null where a partition has no leader. Rejects when the topic is missing. */
    leaders: async () => {
      const { topics } = await clock
        .withDeadline(STEP_TIMEOUT_MS, undefined, () =>
          hedged({ clock, ...HEDGE }, () => admin.fetchTopicMetadata({ topics: [topic] })),
        )
        .catch((error: unknown) => {
          throw metadataError(error);
        });
      const partitions = topics[0]?.partitions ?? [];
      if (partitions.length === 0) throw new Error(`topic ${topic} has no partitions`);
      const leaders: (number | null)[] = Array.from({ length: partitions.length }, () => null);
      for (const { partitionId, leader } of partitions) leaders[partitionId] = leader >= 0 ? leader : null;
      return leaders;
    },
  };
};

export type Sender = Awaited<ReturnType<typeof openSender>>;

export const openSender = async (topic: string, newClient: NewClient, clock: Clock) => {
  // kafkajs implements retries and idempotence wrongly. The publisher retries, and ids of records are deterministic.
  const { client: producer, close } = await opened(clock, () =>
    newClient().producer({
      retry: { retries: 0 },
      idempotent: false,
      allowAutoTopicCreation: false,
      createPartitioner: () => (args) => args.message.partition ?? 0,
    }),
  );
  return {
    close,
    /** Rejects when no record is known to be written. Missing replicas keep the connection for `timeout` ms. */
    send: async (batch: readonly PendingRecord[], timeout: number): Promise<SendResult> => {
      const byPartition = [...Map.groupBy(batch, ({ partition }) => partition)];
      const messages = await Promise.all(byPartition.map((items) => encodeMessage(items, clock.now())));
      const compression = CompressionTypes.None;
      const answers = await producer.send({ topic, acks: -1, timeout, compression, messages });
      return resultOf(topic, messages, answers);
    },
  };
};
