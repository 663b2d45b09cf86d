import { readFileSync } from "node:fs";
import kafkajs, { CompressionTypes } from "kafkajs";
import { expect, inject, it, onTestFinished } from "vitest";
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
const deps = readerDeps(brokers);

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
  const end = new AbortController();
  onTestFinished(() => end.abort(new Error("the test is over")));
  const take = ({ key, value, timestampMs }: Incoming): true => {
    seen.push({ key: String(key), value: String(value), timestamp: String(timestampMs) });
    return true;
  };
  const reading = readLog({ topic, maxBytesPerPartition: 262_144 }, { take }, deps, end.signal);
  reading.ended.catch(() => undefined);
  reading.add(new Map([[0, { startOffset: 0, endOffset: Infinity }]]));
  await eventually(() => expect(seen).toHaveLength(sent.length * messages.length), "all records", 30_000);
  expect(seen).toEqual(sent.flatMap(() => messages));
});
