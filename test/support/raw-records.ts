import { createRequire } from "node:module";
import { gzipSync } from "node:zlib";
import kafkajs, { CompressionTypes } from "kafkajs";
import { eventually } from "./eventually.ts";
import { clientOf } from "./kafka.ts";

// Records as bytes, with headers that kafkajs can neither write nor show, because it turns headers into an
// object. No code of the bridge.

export type RawHeader = readonly [name: Buffer, value: Buffer | null];
export type RawRecord = { key: Buffer | null; value: Buffer | null; headers: readonly RawHeader[] };

const varint = (value: number): Buffer => {
  const bytes: number[] = [];
  let rest = value < 0 ? -2 * value - 1 : 2 * value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.from([...bytes, rest]);
};

const sized = (bytes: Buffer | null): Buffer =>
  bytes === null ? varint(-1) : Buffer.concat([varint(bytes.length), bytes]);

const recordBytes = ({ key, value, headers }: RawRecord, offsetDelta: number): Buffer => {
  const head = [Buffer.from([0, 0]), varint(offsetDelta), sized(key), sized(value), varint(headers.length)];
  return sized(Buffer.concat([...head, ...headers.flatMap(([name, of]) => [sized(name), sized(of)])]));
};

/** The headers of a record in the format of magic 2. */
export const headersOf = (record: Buffer): RawHeader[] => {
  let at = 0;
  const int = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = record[at++] ?? 0;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    }
  };
  const bytes = (): Buffer | null => {
    const length = int();
    if (length < 0) return null;
    at += length;
    return Buffer.from(record.subarray(at - length, at));
  };
  at += 1; // attributes
  int(); // timestamp delta
  int(); // offset delta
  bytes(); // key
  bytes(); // value
  return Array.from({ length: int() }, () => [bytes() ?? Buffer.alloc(0), bytes()] as const);
};

/** Writes one batch of records, compressed with gzip, to the first partition of a topic. */
export const produceRaw = async (
  brokers: string,
  topic: string,
  records: readonly RawRecord[],
): Promise<void> => {
  const producer = clientOf(brokers).producer({ allowAutoTopicCreation: false });
  const { [CompressionTypes.GZIP]: gzip } = kafkajs.CompressionCodecs;
  const ours = { compress: () => Promise.resolve(gzipSync(Buffer.concat(records.map(recordBytes)))) };
  await producer.connect();
  try {
    Object.assign(kafkajs.CompressionCodecs, { [CompressionTypes.GZIP]: () => ours });
    // kafkajs writes the head of the batch; the codec above replaces the records.
    const messages = records.map(() => ({ partition: 0, value: null }));
    await producer.send({ topic, acks: -1, compression: CompressionTypes.GZIP, messages });
  } finally {
    Object.assign(kafkajs.CompressionCodecs, { [CompressionTypes.GZIP]: gzip });
    await producer.disconnect();
  }
};

export type ReadRawRecord = RawRecord & { partition: number; offset: number };

type Decode = (decoder: { buffer: Buffer }, context: unknown) => object;
const require = createRequire(import.meta.url);
const DECODER = "kafkajs/src/protocol/recordBatch/record/v0/decoder.js";
const seenHeaders = new WeakMap<object, RawHeader[]>();
let keeps = false;

/** Patches kafkajs' record decoder: it also keeps the raw headers. */
const keepHeaders = (): void => {
  if (keeps) return;
  keeps = true;
  const decode = require(DECODER) as Decode;
  const loaded = require.cache[require.resolve(DECODER)];
  if (!loaded) throw new Error("kafkajs keeps its modules somewhere else than it did");
  loaded.exports = ((decoder, context) => {
    const headers = headersOf(decoder.buffer);
    const record = decode(decoder, context);
    seenHeaders.set(record, headers);
    return record;
  }) satisfies Decode;
};

/** Follows a topic with raw headers. Must be called before this process reads any other record. */
export const followRaw = async (brokers: string, topic: string) => {
  keepHeaders();
  const seen: ReadRawRecord[] = [];
  const places = new Set<string>();
  let stopped = false;
  let consumers = 0;
  /** Reads from the beginning; restarts with a new consumer when kafkajs gives up on one. */
  const follow = async (): Promise<kafkajs.Consumer> => {
    const groupId = `raw-${topic}-${consumers++}`;
    const consumer = clientOf(brokers).consumer({ groupId, maxWaitTimeInMs: 100 });
    consumer.on(consumer.events.CRASH, ({ payload: { restart } }) => {
      if (!restart && !stopped) current = follow();
    });
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning: true });
    await consumer.run({
      eachBatch: ({ batch: { partition, messages } }) => {
        for (const message of messages) {
          const { offset, key, value } = message;
          const place = `${partition}/${offset}`;
          if (places.has(place)) continue;
          places.add(place);
          const headers = seenHeaders.get(message) ?? [];
          seen.push({ partition, offset: Number(offset), key, value, headers });
        }
        return Promise.resolve();
      },
    });
    return consumer;
  };
  let current = follow();
  await current;
  return {
    seen,
    until: async (fits: (record: ReadRawRecord) => boolean, count = 1): Promise<ReadRawRecord[]> => {
      const found = () => seen.filter(fits);
      await eventually(() => found().length >= count, `${count} such records in ${topic}`, 30_000);
      return found();
    },
    stop: async () => {
      stopped = true;
      await (await current).disconnect();
    },
  };
};
