import type { Clock } from "../../runtime/clock.ts";
import type { NewClient } from "../client.ts";
import { errorOfCode } from "../errors.ts";
import { unreadableBatchOf } from "../kafkajs-fixes/checked-batches.ts";
import { openInternalCluster } from "../kafkajs-fixes/internal-cluster.ts";
import { opened } from "../kafkajs-fixes/hedged.ts";
import type { Incoming } from "../record.ts";
import { incomingOf, type DecodedRecord } from "../kafkajs-fixes/whole-headers.ts";

/** A transaction marker, or an aborted record: see `kafkajs-fixes/aborted-records.ts`. */
type Hidden = { offset: number; isHidden: true };

export type Fetched = {
  partition: number;
  from: number;
  /** Why nothing came of this partition: the error of its leader, or a BatchError. Null where it was read. */
  error: Error | null;
  records: readonly (Incoming | Hidden)[];
  /** The offset to ask for next. There may be no record right before it. */
  next: number;
  /** The first offset that the log holds, and the one after the last. */
  startOffset: number;
  endOffset: number;
};

export type FetchOptions = {
  /** A larger batch comes whole, if it is the first. */
  maxBytesPerPartition: number;
  /** The broker waits for this many bytes, but for `waitMs` at most. */
  minBytes?: number;
  waitMs?: number;
};

export type LogClient = Awaited<ReturnType<typeof openLogClient>>;

const WAIT_MS = 250;
const ANSWER_TIMEOUT_MS = 8_000;
/** Limits a whole answer, which must arrive in time on a slow line. */
const MAX_BYTES = 1_048_576;

type FetchedRecord = DecodedRecord & {
  isControlRecord?: boolean;
  /** The offsets of its batch. Records of Kafka's oldest formats have none. */
  batchContext?: { firstOffset: string; lastOffsetDelta: number };
};
type FetchedPartition = {
  partition: number;
  errorCode: number;
  highWatermark: string;
  /** kafkajs's word for Kafka's log start offset. */
  lastStartOffset: string;
  messages: readonly FetchedRecord[];
};
type FetchAnswer = { responses: readonly { partitions: readonly FetchedPartition[] }[] };

/** The offset after a record's batch: compaction may have taken out the last ones of it. */
const afterBatchOf = ({ offset, batchContext }: FetchedRecord): number =>
  batchContext ? Number(batchContext.firstOffset) + batchContext.lastOffsetDelta + 1 : Number(offset) + 1;

const fetchedOf = (
  topic: string,
  from: number,
  { partition, errorCode, lastStartOffset, highWatermark, messages }: FetchedPartition,
): Fetched => {
  const last = messages.at(-1);
  return {
    partition,
    from,
    error: errorCode === 0 ? unreadableBatchOf(messages) : errorOfCode(errorCode),
    next: last ? Math.max(from, afterBatchOf(last)) : from,
    startOffset: Number(lastStartOffset),
    endOffset: Number(highWatermark),
    // A batch comes whole, also if it is read from its middle.
    records: messages
      .filter(({ offset }) => Number(offset) >= from)
      .map((message) =>
        message.isControlRecord
          ? { offset: Number(message.offset), isHidden: true }
          : incomingOf(topic, partition, message),
      ),
  };
};

/** Reads a topic without a group. Replaced, never repaired. Rejects when no broker answers or the topic is missing. */
export const openLogClient = async (topic: string, newClient: NewClient, clock: Clock) => {
  const { client, close } = await opened(clock, () => {
    const cluster = openInternalCluster(newClient());
    return {
      cluster,
      connect: async () => {
        await cluster.connect();
        await cluster.addTargetTopic(topic);
      },
      disconnect: () => cluster.disconnect(),
    };
  });
  const { cluster } = client;
  const ledPartitions = cluster.findTopicPartitionMetadata(topic).filter(({ leader }) => leader >= 0);

  const ask = async (
    leader: number,
    positions: ReadonlyMap<number, number>,
    { maxBytesPerPartition: maxBytes, minBytes = 1, waitMs = WAIT_MS }: FetchOptions,
  ): Promise<Fetched[]> => {
    const broker = await cluster.findBroker({ nodeId: leader });
    const partitions = [...positions].map(([partition, position]) => ({
      partition,
      fetchOffset: String(position),
      maxBytes,
    }));
    const topics = [{ topic, partitions }];
    const request = { maxWaitTime: waitMs, minBytes, maxBytes: MAX_BYTES, topics };
    const { responses } = (await broker.fetch(request)) as FetchAnswer;
    return responses.flatMap((response) =>
      response.partitions.map((each) => fetchedOf(topic, positions.get(each.partition) ?? 0, each)),
    );
  };

  return {
    leaders: new Map(ledPartitions.map(({ partitionId, leader }) => [partitionId, leader])),
    fetch: (...question: Parameters<typeof ask>) =>
      clock.within(ANSWER_TIMEOUT_MS, undefined, ask(...question)),
    close,
  };
};
