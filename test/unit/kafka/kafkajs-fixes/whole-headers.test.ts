import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { decodeRecord, readWholeHeaders } from "../../../../src/kafka/kafkajs-fixes/whole-headers.ts";
import { eachHeader } from "../../../../src/kafka/headers.ts";
import {
  gzipBatch,
  encodeHeaders,
  HEADER_BYTES,
  recordBatch,
} from "../../../../src/kafka/produce/record-batch.ts";
import type { EncodedHeaders, Header, Outgoing } from "../../../../src/kafka/record.ts";
import { replaceModule } from "../../../../src/kafka/kafkajs-fixes/replace-module.ts";

const NOW_MS = 1_790_000_000_123;

type Decoder = Parameters<typeof decodeRecord>[0];
type Message = {
  key: Buffer | null;
  value: Buffer | null;
  headers: EncodedHeaders;
  offset: string;
  timestamp: string;
};
const require = createRequire(import.meta.url);
const NewDecoder = require("kafkajs/src/protocol/decoder.js") as new (bytes: Buffer) => Decoder;
/** kafkajs's original module. */
const byKafkajs = require("kafkajs/src/protocol/recordBatch/record/v0/decoder.js") as typeof decodeRecord;
readWholeHeaders();
const decodeBatch = require("kafkajs/src/protocol/recordBatch/v0/decoder.js") as (
  decoder: Decoder,
) => Promise<{ records: Message[] }>;

const record = (more: Partial<Outgoing> = {}): Outgoing => ({
  key: Buffer.from("key"),
  value: Buffer.from("value"),
  headers: [],
  ...more,
});
const batchOf = (
  records: readonly Outgoing[],
  change = (batch: Buffer): Buffer => batch,
): Promise<Message[]> =>
  decodeBatch(new NewDecoder(change(recordBatch(records, NOW_MS)))).then(({ records: read }) => read);
const namesOf = (headers: EncodedHeaders): string[] => [...eachHeader(headers)].map(([name]) => String(name));

const odd: Header[] = [
  ["b", "1"],
  ["a", null],
  ["b", null],
  ["__proto__", "x"],
  ["", ""],
  ["1", Buffer.from([255, 0])],
];

test("headers pass through kafkajs unchanged", async () => {
  const messages = await batchOf([record({ headers: odd }), record(), record({ headers: [["c", "2"]] })]);
  expect(messages[0]!.headers).toEqual(encodeHeaders(odd));
  expect(messages.map((message) => namesOf(message.headers).length)).toEqual([6, 0, 1]);
});

test("also from a compressed batch", async () => {
  const value = Buffer.alloc(300_000, "v");
  const batch = recordBatch([record({ headers: odd, value })], NOW_MS);
  const compressed = await gzipBatch(batch);
  expect(compressed.length).toBeLessThan(batch.length / 10);
  const { records } = await decodeBatch(new NewDecoder(compressed));
  expect(records[0]).toMatchObject({ key: Buffer.from("key"), offset: "0", timestamp: String(NOW_MS) });
  expect(records[0]!.value?.equals(value)).toBe(true);
  expect(records[0]!.headers).toEqual(encodeHeaders(odd));
});

test("all other parts of a record are as kafkajs decodes them", () => {
  const records = [record({ key: null }), record({ value: null }), record({ value: Buffer.alloc(200) })];
  const contexts = [0, 1].map((timestampType) => ({
    magicByte: 2,
    firstOffset: "9007199254740000",
    firstTimestamp: String(NOW_MS),
    maxTimestamp: String(NOW_MS + 7),
    timestampType,
    isControlBatch: timestampType === 0,
  }));
  for (const context of contexts)
    for (const [i, each] of records.entries()) {
      const bytes = recordBatch(
        Array.from({ length: i + 1 }, () => each),
        NOW_MS,
      ).subarray(HEADER_BYTES);
      // Its last record, behind the length that comes first.
      const one = recordBatch([each], NOW_MS).length - HEADER_BYTES;
      const body = bytes.subarray(bytes.length - one + (one > 128 ? 2 : 1));
      const headers = {};
      const ours = decodeRecord(new NewDecoder(body), context);
      const theirs = byKafkajs(new NewDecoder(body), context);
      expect({ ...ours, headers }).toEqual({ ...theirs, headers });
    }
});

test("replacing a module that was used already throws", () => {
  expect(() => {
    replaceModule("decoder", ["recordBatch/v0/decoder"], (original) => original);
  }).toThrow("kafkajs has loaded recordBatch/v0/decoder already");
});

test("with LogAppendTime the record's own timestamp is skipped, however long it is", () => {
  const context = { firstOffset: "3", firstTimestamp: "5", maxTimestamp: "7", timestampType: 1 };
  for (const delta of [[0x02], [0xff, 0x7f], [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]]) {
    // Attributes, the deltas of time and offset, a key of length -3, which is none, a value, no headers.
    const bytes = Buffer.from([0, ...delta, 2, 5, 2, 0x76, 0]);
    const ours = decodeRecord(new NewDecoder(bytes), context);
    expect(ours).toMatchObject({ timestamp: "7", offset: "4", key: null, value: Buffer.from("v") });
  }
});
