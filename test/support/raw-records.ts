import { eachHeader } from "../../src/kafka/headers.ts";
import { preparedMessage } from "../../src/kafka/kafkajs-fixes/prepared-batches.ts";
import { gzipBatch, recordBatch } from "../../src/kafka/produce/record-batch.ts";
import type { Outgoing } from "../../src/kafka/record.ts";
import { eventually } from "./eventually.ts";
import { readerDeps, tailTopic } from "./reader-deps.ts";
import type { World } from "./world.ts";

// Records as bytes, with headers that kafkajs can neither write nor show, because it turns headers into an
// object. They are encoded without code of the bridge, and read with its reader.

export type RawHeader = readonly [name: Buffer, value: Buffer | null];
export type RawRecord = { key: Buffer | null; value: Buffer | null; headers: readonly RawHeader[] };

export const header = (name: string | Buffer, value: string | Buffer | null): RawHeader => [
  Buffer.from(name),
  value === null ? null : Buffer.from(value),
];

const varint = (value: number): Buffer => {
  const bytes: number[] = [];
  let rest = value < 0 ? -2 * value - 1 : 2 * value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.from([...bytes, rest]);
};

const sized = (bytes: Buffer | null): Buffer =>
  bytes === null ? varint(-1) : Buffer.concat([varint(bytes.length), bytes]);

const encoded = ({ key, value, headers }: RawRecord): Outgoing => {
  const bytes = Buffer.concat(headers.flatMap(([name, of]) => [sized(name), sized(of)]));
  return { key, value, headers: [], encodedHeaders: { count: headers.length, bytes } };
};

/** Writes one batch of records, compressed with gzip, to the first partition of a topic. */
export const produceRaw = async (
  brokers: string,
  topic: string,
  records: readonly RawRecord[],
): Promise<void> => {
  const producer = readerDeps(brokers).newClient().producer({ allowAutoTopicCreation: false });
  const batch = await gzipBatch(recordBatch(records.map(encoded), Date.now()));
  await producer.connect();
  try {
    await producer.send({ topic, messages: [preparedMessage(0, batch)] });
  } finally {
    await producer.disconnect();
  }
};

export type ReadRawRecord = RawRecord & { partition: number; offset: number };

/** Follows a topic until the world is closed. Must be called before this process reads any other record. */
export const followRaw = async ({ brokers, defer }: World, topic: string) => {
  const seen: ReadRawRecord[] = [];
  const stop = await tailTopic(brokers, topic, ({ partition, offset, key, value, headers }) => {
    // The reader may start over.
    if (seen.some((record) => record.partition === partition && record.offset === offset)) return;
    const rawHeaders = [...eachHeader(headers)].map(([name, of]): RawHeader => [name, of]);
    seen.push({ partition, offset, key, value, headers: rawHeaders });
  });
  defer(stop);
  return {
    seen,
    until: async (fits: (record: ReadRawRecord) => boolean, count = 1): Promise<ReadRawRecord[]> => {
      const found = () => seen.filter(fits);
      await eventually(() => found().length >= count, `${count} such records in ${topic}`, 30_000);
      return found();
    },
  };
};

export type RawFollowing = Awaited<ReturnType<typeof followRaw>>;
