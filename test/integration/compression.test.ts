import { readFileSync } from "node:fs";
import kafkajs, { CompressionTypes } from "kafkajs";
import { pino } from "pino";
import { expect, inject, it, onTestFinished } from "vitest";
import { readAllCompressions } from "../../src/kafka/compression.ts";
import { readLog } from "../../src/kafka/consume/read-log.ts";
import type { Incoming } from "../../src/kafka/record.ts";
import { eventually } from "../support/eventually.ts";
import { clientOf, createTopic } from "../support/kafka.ts";
import { readerDeps } from "../support/reader-deps.ts";

/** The same twelve records as the producers of Kafka and of librdkafka compressed them, by producer and codec, in base64. */
const batches = JSON.parse(
  readFileSync(new URL("../support/compressed-batches.json", import.meta.url), "utf8"),
) as Record<string, Record<string, string>>;

const TYPES: Record<string, CompressionTypes> = {
  gzip: CompressionTypes.GZIP,
  snappy: CompressionTypes.Snappy,
  lz4: CompressionTypes.LZ4,
  zstd: CompressionTypes.ZSTD,
};

/** What the batches hold. */
const messages = Array.from({ length: 12 }, (_, i) => ({
  key: `key-${i}`,
  value: `{"commandId":"c-${i}","note":"${"ab".repeat(i * 30)}"}`,
  timestamp: String(1_795_262_400_000 + i),
}));

const brokers = inject("kafkaBrokers");
// Before plain kafkajs sends anything: the client replaces what it sends with.
const silentDeps = readerDeps(brokers);

/** Reads the partitions of a topic from their beginning, until the test is over. */
const read = (
  topic: string,
  partitions: number,
  take: (record: Incoming) => void,
  deps = silentDeps,
): void => {
  const end = new AbortController();
  const ranges = new Map(
    Array.from({ length: partitions }, (_, at) => [at, { startOffset: 0, endOffset: 0 }]),
  );
  const { ended } = readLog(
    { topic, ranges, toEnd: false, maxBytesPerPartition: 262_144 },
    {
      take: (record) => {
        take(record);
        return true;
      },
    },
    deps,
    end.signal,
  );
  ended.catch(() => undefined);
  onTestFinished(() => end.abort(new Error("the test is over")));
};

it("reads a topic whose batches are compressed in every way that Kafka knows", async () => {
  const topic = await createTopic(brokers, 1);

  const producer = clientOf(brokers).producer();
  await producer.connect();
  const sent = Object.values(batches).flatMap((codecs) => Object.entries(codecs));
  for (const [name, base64] of sent) {
    const compression = TYPES[name];
    if (compression === undefined) throw new Error(`unknown codec ${name}`);
    const codec = { compress: () => Promise.resolve(Buffer.from(base64, "base64")) };
    Object.assign(kafkajs.CompressionCodecs, { [compression]: () => codec });
    await producer.send({ topic, compression, messages });
  }
  await producer.disconnect();

  const seen: { key: string; value: string; timestamp: string }[] = [];
  read(topic, 1, ({ key, value, timestampMs }) => {
    seen.push({ key: String(key), value: String(value), timestamp: String(timestampMs) });
  });
  await eventually(() => expect(seen).toHaveLength(sent.length * messages.length), "all records", 30_000);
  expect(seen).toEqual(sent.flatMap(() => messages));
});

it("says which partition stands, and where, when a batch cannot be decompressed", async () => {
  const topic = await createTopic(brokers, 2);
  const producer = clientOf(brokers).producer();
  await producer.connect();
  onTestFinished(() => producer.disconnect());
  const send = (partition: number, count: number, compression = CompressionTypes.None) =>
    producer.send({
      topic,
      compression,
      messages: messages.slice(0, count).map((message) => ({ ...message, partition })),
    });

  const lines: Record<string, unknown>[] = [];
  const log = pino(
    { level: "warn" },
    { write: (line: string) => void lines.push(JSON.parse(line) as never) },
  );
  const deps = readerDeps(brokers, log);
  let seen = 0;
  read(topic, 2, () => void (seen += 1), deps);
  await send(0, 3);
  await send(1, 5);
  await eventually(() => expect(seen).toBe(8), "all records", 30_000);

  // Less than the batch takes: to the reader it is as broken as a batch that would take all memory.
  readAllCompressions(100);
  onTestFinished(() => readAllCompressions());
  const gzip = { compress: () => Promise.resolve(Buffer.from(batches["java"]?.["gzip"] ?? "", "base64")) };
  const bounded = (kafkajs.CompressionCodecs as Record<number, () => object>)[CompressionTypes.GZIP]?.();
  Object.assign(kafkajs.CompressionCodecs, { [CompressionTypes.GZIP]: () => ({ ...bounded, ...gzip }) });
  await send(1, 12, CompressionTypes.GZIP);
  const unreadable = () => lines.find(({ msg }) => msg === "kafka.batch.unreadable");
  await eventually(
    () => expect(unreadable()).toMatchObject({ partition: 1, offset: 5 }),
    "the log to say so",
    30_000,
  );
  expect(unreadable()?.["reason"]).toMatch(
    /a batch of \d+ bytes at offset 5, 12 records, cannot be decompressed/,
  );
  await send(0, 3);
  await eventually(() => expect(seen).toBe(11), "the records of the other partition", 30_000);
});
