import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import kafkajs, { CompressionTypes } from "kafkajs";
import { describe, expect, test, vi } from "vitest";
import { encodeHeaders, recordBatch } from "../../../../src/kafka/produce/record-batch.ts";

/** The version whose faults are worked around in `src/kafka/kafkajs-fixes/`. */
const KNOWN = "2.2.4";

const require = createRequire(import.meta.url);
const moduleOf = (name: string): unknown => require(`kafkajs/src/${name}.js`);
type Parse = { parse: (answer: object) => Promise<unknown> };
const Decoder = moduleOf("protocol/decoder") as new (bytes: Buffer) => object;
const decodeBatch = moduleOf("protocol/recordBatch/v0/decoder") as (
  decoder: object,
) => Promise<{ records: { value: Buffer; headers: object }[] }>;

test("kafkajs has the version whose faults are known: check each fix before you change this", () => {
  const manifest = (path: string) =>
    JSON.parse(readFileSync(path, "utf8")) as { version: string; dependencies?: Record<string, string> };
  expect(manifest(require.resolve("kafkajs/package.json")).version).toBe(KNOWN);
  expect(manifest(require.resolve("../../../../package.json")).dependencies?.["kafkajs"]).toBe(KNOWN);
});

describe("kafkajs by itself. Where one of these fails it is mended, and the fix can go:", () => {
  test("whole-headers.ts: names of headers that are no UTF-8 are changed", async () => {
    const name = Buffer.from([0xff]);
    const encodedHeaders = encodeHeaders([["?", "1"]]);
    name.copy(encodedHeaders.bytes, 1);
    const batch = recordBatch([{ key: null, value: null, headers: [], encodedHeaders }], 0);
    const { records } = await decodeBatch(new Decoder(batch));
    expect(Object.keys(records[0]?.headers ?? {})).toEqual(["\ufffd"]);
  });

  test("checked-batches.ts: a batch that a disk has changed is read", async () => {
    const batch = recordBatch([{ key: null, value: Buffer.from("1000.00"), headers: [] }], 0);
    batch.write("9", batch.indexOf("1000.00"));
    const { records } = await decodeBatch(new Decoder(batch));
    expect(String(records[0]?.value)).toBe("9000.00");
  });

  test("aborted-records.ts: a record of an aborted transaction is delivered where transactions overlap", () => {
    const filter = moduleOf("consumer/filterAbortedMessages") as (fetched: object) => { offset: string }[];
    const record = (offset: number, producerId: string, isControlRecord = false) => ({
      ...{ offset: String(offset), isControlRecord, key: Buffer.from(isControlRecord ? [0, 0, 0, 0] : "k") },
      batchContext: { producerId, inTransaction: true },
    });
    const messages = [
      record(0, "1"),
      record(1, "2"),
      record(2, "2", true),
      record(3, "1"),
      record(4, "1", true),
    ];
    const abortedTransactions = [
      { producerId: "2", firstOffset: "1" },
      { producerId: "1", firstOffset: "0" },
    ];
    expect(filter({ messages, abortedTransactions }).map(({ offset }) => offset)).toContain("0");
  });

  test("partial-acknowledgements.ts: one partition's error hides that others were written", async () => {
    const { parse } = moduleOf("protocol/requests/produce/v3/response") as Parse;
    const partitions = [0, 19].map((errorCode, partition) => ({ partition, errorCode }));
    await expect(parse({ topics: [{ topicName: "t", partitions }] })).rejects.toThrow();
  });

  test("metadata-response.ts: one partition without a leader hides all topics", async () => {
    const { parse } = moduleOf("protocol/requests/metadata/v6/response") as Parse;
    const partitionMetadata = [{ partitionErrorCode: 5, partitionId: 0, leader: -1 }];
    await expect(parse({ topicMetadata: [{ topicErrorCode: 0, partitionMetadata }] })).rejects.toThrow();
  });

  test("topic-refusals.ts: the broker's sentence and its code are lost", async () => {
    const { parse } = moduleOf("protocol/requests/createTopics/v3/response") as Parse;
    const topicErrors = [{ topic: "t", errorCode: 38, errorMessage: "the broker's sentence" }];
    await expect(parse({ topicErrors })).rejects.toThrow(/^Topic creation errors$/);
  });

  test("idle-timers.ts: a queue without requests sets timers in the past", () => {
    const Queue = moduleOf("network/requestQueue/index") as new (options: object) => {
      checkPendingRequests: () => void;
    };
    vi.useFakeTimers();
    const delays = vi.spyOn(globalThis, "setTimeout");
    const logger = { debug: () => undefined };
    new Queue({
      maxInFlightRequests: null,
      requestTimeout: 1,
      enforceRequestTimeout: false,
      logger,
      broker: "b",
    }).checkPendingRequests();
    expect(delays.mock.calls.map(([, ms]) => Number(ms) < 0)).toContain(true);
    vi.useRealTimers();
  });

  test("compression.ts: of four kinds of compression one is known", () => {
    const codecs = kafkajs.CompressionCodecs as unknown as Record<number, () => unknown>;
    const { Snappy, LZ4, ZSTD } = CompressionTypes;
    for (const type of [Snappy, LZ4, ZSTD]) expect(codecs[type]).toThrow(/not implemented/);
  });
});
