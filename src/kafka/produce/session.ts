import { CompressionTypes, type Admin, type Producer } from "kafkajs";
import type { Clock } from "../../runtime/clock.ts";
import type { NewClient } from "../client.ts";
import { EncodeError, errorOfCode, isRefusedByBroker, metadataError } from "../errors.ts";
import { gzipBatch } from "./gzip-batch.ts";
import { hedged } from "./hedged.ts";
import { preparedMessage, type PreparedMessage } from "./produce-request.ts";
import type { Outgoing } from "../record.ts";
import { recordBatch } from "./record-batch.ts";
import type { PendingRecord } from "./pending-record.ts";

/**
 * `first`: the offset of the first record, by partition that was written. `failure`: why the others were not;
 * null when all were.
 */
export type Sent = { first: ReadonlyMap<number, number>; failure: Error | null };

/** Connections of one publisher to the cluster. A broken session is closed and replaced, never repaired. */
export type Session = {
  /**
   * The leaders' node ids, by partition; null where a partition has no leader. Rejects when the topic is
   * missing.
   */
  leaders(): Promise<(number | null)[]>;
  /** Writes a batch, each record to its partition. Rejects when none is known to be written. */
  send(batch: readonly PendingRecord[]): Promise<Sent>;
  close(): Promise<void>;
};

/** The timeout of everything except sends. */
const STEP_TIMEOUT_MS = 4_000;
const CLOSE_TIMEOUT_MS = 2_000;
/**
 * Much longer than an answer takes. With one frozen broker of three, the delay is one interval, rarely two.
 */
const HEDGE = { everyMs: 750, atMost: 4 };
/**
 * Each client begins with another broker, so two are enough. An attempt on a frozen broker lingers until its
 * timeout: no more than needed.
 */
const HEDGE_OPENING = { ...HEDGE, atMost: 2 };

/**
 * A single record from this size on is compressed: brokers compare max.message.bytes with the compressed
 * size. Smaller ones are not worth the time.
 */
const COMPRESS_FROM_BYTES = 128 * 1024;

const batchOf = (records: readonly Outgoing[], nowMs: number): Buffer | Promise<Buffer> => {
  const batch = recordBatch(records, nowMs);
  return records.length === 1 && batch.length >= COMPRESS_FROM_BYTES ? gzipBatch(batch) : batch;
};

const messagesOf = async (batch: readonly PendingRecord[], nowMs: number): Promise<PreparedMessage[]> => {
  const records = new Map<number, Outgoing[]>();
  for (const { partition, record } of batch) {
    const ofPartition = records.get(partition);
    if (ofPartition) ofPartition.push(record);
    else records.set(partition, [record]);
  }
  try {
    return await Promise.all(
      [...records].map(async ([partition, ofPartition]) =>
        preparedMessage(partition, await batchOf(ofPartition, nowMs)),
      ),
    );
  } catch (error) {
    throw new EncodeError(error);
  }
};

type Answer = { topicName: string; partition: number; errorCode: number; baseOffset?: string };

const sentOf = (topic: string, wanted: ReadonlySet<number>, answers: readonly Answer[]): Sent => {
  const first = new Map<number, number>();
  const failures: Error[] = [];
  for (const { topicName, partition, errorCode, baseOffset } of answers) {
    if (topicName !== topic) continue;
    if (errorCode !== 0) failures.push(errorOfCode(errorCode));
    else if (baseOffset !== undefined) first.set(partition, Number(baseOffset));
  }
  // kafkajs may resolve although it has not sent the records of some partition: only its acknowledgement
  // proves that they were written.
  for (const partition of wanted)
    if (!first.has(partition) && failures.length === 0)
      throw new Error(`no acknowledgement for ${topic}, partition ${partition}`);
  // Records that are refused are refused again: those of another failure must not share their fate.
  const failure = failures.find((error) => !isRefusedByBroker(error)) ?? failures[0] ?? null;
  return { first, failure };
};

const openOne = async (topic: string, newClient: NewClient, clock: Clock): Promise<Session> => {
  const client = newClient();
  // No retries and no idempotence: kafkajs implements both wrongly. The publisher retries, and the ids of
  // records are deterministic.
  const producer: Producer = client.producer({
    retry: { retries: 0 },
    idempotent: false,
    allowAutoTopicCreation: false,
    createPartitioner: () => (args) => args.message.partition ?? 0,
  });
  const admin: Admin = client.admin();

  const close = async (): Promise<void> => {
    const closing = Promise.allSettled([producer.disconnect(), admin.disconnect()]);
    await clock.withDeadline(CLOSE_TIMEOUT_MS, undefined, () => closing).catch(() => undefined);
  };

  try {
    await clock.withDeadline(STEP_TIMEOUT_MS, undefined, () =>
      Promise.all([producer.connect(), admin.connect()]),
    );
  } catch (error) {
    void close();
    throw error;
  }

  return {
    close,
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
    send: async (batch) => {
      const messages = await messagesOf(batch, clock.now());
      const answers = await producer.send({
        topic,
        acks: -1,
        compression: CompressionTypes.None,
        messages,
      });
      return sentOf(topic, new Set(messages.map(({ partition }) => partition)), answers);
    },
  };
};

/** Connects, in bounded time. Rejects when no broker can be reached. */
export const openSession = (topic: string, newClient: NewClient, clock: Clock): Promise<Session> =>
  hedged(
    { clock, ...HEDGE_OPENING },
    () => openOne(topic, newClient, clock),
    (late) => void late.close(),
  );
