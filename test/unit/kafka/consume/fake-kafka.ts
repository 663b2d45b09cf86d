import { EventEmitter } from "node:events";
import type { Consumer, Kafka } from "kafkajs";
import { silent } from "../../../../src/runtime/log.ts";
import type { Cluster } from "../../../../src/kafka/cluster/cluster.ts";
import {
  startOrderedConsumer,
  type Handle,
  type OrderedConsumer,
  type OrderedOptions,
} from "../../../../src/kafka/consume/ordered-consumer.ts";
import type { Range, TopicRanges } from "../../../../src/kafka/ranges.ts";
import { systemClock } from "../../../../src/runtime/clock.ts";
import type { Log } from "../../../../src/runtime/log.ts";

export const TOPIC = "commands";

type FakeRecord = { offset: number; timestamp: string; key: Buffer | null; value: Buffer };
type Commit = { offset: number; note: string };
/** The log of a partition. It ends after its last record, or at `start` when it is empty. */
type FakeLog = { start: number; end: number; records: FakeRecord[] };

type FetchRequest = { topics: { partitions: { partition: number; fetchOffset: string }[] }[] };

const RECORDS_PER_FETCH = 100;
const OFFSET_OUT_OF_RANGE = 1;
/** No two records have the same time. */
let nextTime = 1_000;

/** A fake of Kafka, with a kafkajs consumer that is the single member of a group, and fetches without a group. */
export const fakeKafka = (
  partitions: number,
  /** The initial records. */
  before: { logs?: FakeLog[]; commits?: Map<number, Commit> } = {},
) => {
  const empty = (): FakeLog => ({ start: 0, end: 0, records: [] });
  const logs = before.logs ?? Array.from({ length: partitions }, empty);
  const commits = before.commits ?? new Map<number, Commit>();
  // All consumers of a test share this emitter: one listener per reader.
  const events = new EventEmitter().setMaxListeners(0);
  const names = ["GROUP_JOIN", "REBALANCING", "HEARTBEAT", "REQUEST", "STOP", "CRASH"];
  /** The offsets of transaction markers. */
  const markers = new Map<number, Set<number>>();
  const state = {
    stopped: false,
    closed: false,
    paused: false,
    asked: 0,
    failing: 0,
    away: false,
    leaders: Array.from({ length: partitions }, () => 1),
    /** Partitions that cannot be asked for their ranges. */
    missing: [] as number[],
    fetches: 0,
    outOfRange: 0,
  };

  const join = (members: number[] = Array.from({ length: partitions }, (_, nth) => nth)): void => {
    events.emit("GROUP_JOIN", { payload: { memberAssignment: { [TOPIC]: members } } });
  };

  const beatForEver = async (): Promise<void> => {
    while (!state.stopped) {
      await systemClock.sleep(5);
      events.emit("HEARTBEAT");
    }
  };

  const consumer = {
    events: Object.fromEntries(names.map((name) => [name, name])),
    on: (name: string, listener: (event: unknown) => void) => events.on(name, listener),
    connect: () => Promise.resolve(),
    subscribe: () => Promise.resolve(),
    run: () => {
      join();
      void beatForEver();
      return Promise.resolve();
    },
    pause: () => {
      if (state.stopped)
        throw new Error("Consumer group was not initialized, consumer#run must be called first");
      state.paused = true;
    },
    commitOffsets: (list: { partition: number; offset: string; metadata: string | null }[]) => {
      for (const { partition, offset, metadata } of list)
        commits.set(partition, { offset: Number(offset), note: metadata ?? "" });
      return Promise.resolve();
    },
    disconnect: () => Promise.resolve(void (state.stopped = true)),
  } as unknown as Consumer;

  /** A request of a client without a group. */
  const fetchFrom = async ({ topics: [asked] }: FetchRequest) => {
    state.fetches += 1;
    await new Promise((resolve) => setImmediate(resolve));
    if (state.away) throw new Error("the broker is away");
    const found = (asked?.partitions ?? []).map(({ partition, fetchOffset }) => {
      const from = Number(fetchOffset);
      const log = logs[partition]!;
      state.outOfRange += from < log.start || from > log.end ? 1 : 0;
      const errorCode = from < log.start || from > log.end ? OFFSET_OUT_OF_RANGE : 0;
      const highWatermark = errorCode === 0 ? String(log.end) : "-1";
      if (errorCode !== 0)
        return { partition, errorCode, highWatermark, lastStartOffset: "-1", messages: [] };
      const hidden = [...(markers.get(partition) ?? [])].map((offset) => ({
        ...{ offset, timestamp: "0", key: null, value: null, isControlRecord: true },
      }));
      const messages = [...log.records, ...hidden]
        .filter(({ offset }) => offset >= from && offset < log.end)
        .sort((a, b) => a.offset - b.offset)
        .slice(0, RECORDS_PER_FETCH)
        .map((message) => ({ ...message, offset: String(message.offset) }));
      return { partition, errorCode, highWatermark, lastStartOffset: String(log.start), messages };
    });
    if (found.every(({ messages }) => messages.length === 0)) await systemClock.sleep(5);
    return { responses: [{ partitions: found }] };
  };
  const internalCluster = {
    connect: () => Promise.resolve(),
    addTargetTopic: () => Promise.resolve(),
    findTopicPartitionMetadata: () =>
      logs.map((_, partitionId) => ({ partitionId, leader: state.leaders[partitionId]! })),
    findBroker: () => Promise.resolve({ fetch: fetchFrom }),
    disconnect: () => Promise.resolve(void (state.closed = true)),
  };

  const ranges = (): Map<number, Range> =>
    new Map(logs.map(({ start, end }, partition) => [partition, { startOffset: start, endOffset: end }]));
  const topicRanges = (): TopicRanges => {
    const missing = new Set(state.missing);
    return { ranges: new Map([...ranges()].filter(([partition]) => !missing.has(partition))), missing };
  };

  const cluster = {
    committed: () => {
      state.asked += 1;
      if (state.failing > 0) {
        state.failing -= 1;
        return Promise.reject(new Error("the coordinator is away"));
      }
      return Promise.resolve(new Map([...commits].filter(([, { offset }]) => offset >= 0)));
    },
    ranges: () => Promise.resolve(topicRanges()),
    close: () => Promise.resolve(),
  } as unknown as Cluster;

  return {
    client: {
      consumer: () => consumer,
      [Symbol("private:Kafka:createCluster")]: () => internalCluster,
    } as unknown as Kafka,
    connectCluster: () => Promise.resolve(cluster),
    ...{ ranges, topicRanges },
    state,
    logs,
    commits,
    join,
    /** Writes a record with this value for each key. */
    append: (partition: number, keys: readonly (string | null)[], text = "x"): void => {
      const log = logs[partition]!;
      for (const key of keys)
        log.records.push({
          offset: log.end++,
          timestamp: String(nextTime++),
          key: key === null ? null : Buffer.from(key),
          value: Buffer.from(text),
        });
    },
    /** From now on answers to such requests take so long. */
    answered: (apiName: string, duration: number): void => {
      events.emit("REQUEST", { payload: { apiName, duration } });
    },
    /** Adds an offset without a record, as the end of a transaction does. */
    skipOffset: (partition: number): void => {
      markers.set(partition, (markers.get(partition) ?? new Set()).add(logs[partition]!.end++));
    },
    /** Takes a record out, as compaction does. */
    compact: (partition: number, offset: number): void => {
      const log = logs[partition]!;
      log.records = log.records.filter((record) => record.offset !== offset);
    },
    /** Deletes the topic and creates it again. */
    replace: (partition: number): void => {
      logs[partition] = empty();
    },
    /** Deletes the records before this offset. */
    dropBefore: (partition: number, offset: number): void => {
      const log = logs[partition]!;
      Object.assign(log, { start: offset, records: log.records.filter((record) => record.offset >= offset) });
    },
    /**
     * Lets the log end here for now, as a broker may report after a freeze. Gives a function that restores
     * it.
     */
    cutAt: (partition: number, offset: number): (() => void) => {
      const whole = { ...logs[partition]! };
      const records = whole.records.filter((record) => record.offset < offset);
      logs[partition] = { ...whole, end: offset, records };
      return () => (logs[partition] = whole);
    },
    /**
     * Crashes like kafkajs: it leaves the group first, and emits the crash when the connections are closed.
     */
    stop: (): void => {
      state.stopped = true;
      events.emit("STOP");
    },
  };
};

/** A consumer of the commands of this Kafka. */
export const consume = (
  kafka: Pick<ReturnType<typeof fakeKafka>, "client" | "connectCluster">,
  handle: Handle,
  options: Pick<OrderedOptions, "maxHeldBytes" | "note"> & {
    maxInFlight?: number;
    log?: Partial<Log>;
    clock?: typeof systemClock;
  },
): OrderedConsumer => {
  const { log = {}, clock = systemClock, maxInFlight = 4, ...others } = options;
  return startOrderedConsumer(
    { topic: TOPIC, groupId: "g", sessionTimeoutMs: 30_000, maxInFlight, ...others },
    handle,
    {
      newClient: () => kafka.client,
      connectCluster: kafka.connectCluster,
      clock,
      log: { ...silent, ...log },
      random: () => 0,
    },
  );
};

/** Waits until the consumer has read what its memory holds. */
export const untilFull = async (consumer: OrderedConsumer): Promise<void> => {
  for (let before = -1; before < 1 || before !== consumer.unfinished();) {
    before = consumer.unfinished();
    await systemClock.sleep(50);
  }
};
