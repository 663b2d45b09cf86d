import { createRequire } from "node:module";
import { describe, expect, test } from "vitest";
import { crc32c } from "../../../../src/kafka/crc32c.ts";
import { eachHeader } from "../../../../src/kafka/headers.ts";
import { encodeHeaders, recordBatch } from "../../../../src/kafka/produce/record-batch.ts";
import type { Header, Outgoing } from "../../../../src/kafka/record.ts";
import { randomFrom } from "../../../support/random.ts";

const NOW_MS = 1_790_000_000_123;
const HEAD_BYTES = 61;
/**
 * Leader epoch, checksum, producer id, epoch and sequence: kafkajs writes other values into what no broker
 * looks at without idempotence.
 */
const HEAD_BYTES_THAT_COUNT: readonly [number, number][] = [
  [0, 12],
  [16, 17],
  [21, 43],
  [57, HEAD_BYTES],
];

type Encoder = { buffer: Buffer };
const require = createRequire(import.meta.url);
const Record = require("kafkajs/src/protocol/recordBatch/record/v0/index.js") as (args: object) => Encoder;
const { RecordBatch } = require("kafkajs/src/protocol/recordBatch/v0/index.js") as {
  RecordBatch: (args: object) => Promise<Encoder>;
};

/** Headers as kafkajs takes them: a repeated name has a list of values, and there are no nulls. */
const asObject = (headers: readonly Header[]): object => {
  const values = new Map<string, Header[1][]>();
  for (const [name, value] of headers) values.set(name, [...(values.get(name) ?? []), value]);
  return Object.fromEntries(values);
};

/** Records, with the headers that are encoded already in plain form too. */
type Known = Outgoing & { common?: readonly Header[] };

/** kafkajs's encoding of the same records. */
const byKafkajs = async (records: readonly Known[]): Promise<Buffer> => {
  const encoded = records.map(({ common = [], headers, key, value }, i) =>
    Record({ key, value, headers: asObject([...common, ...headers]), offsetDelta: i, timestampDelta: 0 }),
  );
  const batch = await RecordBatch({
    records: encoded,
    firstTimestamp: NOW_MS,
    maxTimestamp: NOW_MS,
    lastOffsetDelta: records.length - 1,
  });
  return batch.buffer;
};

const expectSame = async (records: readonly Known[]): Promise<void> => {
  const [ours, theirs] = [recordBatch(records, NOW_MS), await byKafkajs(records)];
  expect(ours.subarray(HEAD_BYTES).equals(theirs.subarray(HEAD_BYTES))).toBe(true);
  for (const [from, to] of HEAD_BYTES_THAT_COUNT)
    expect(ours.subarray(from, to)).toEqual(theirs.subarray(from, to));
  expect(ours.readUInt32BE(17)).toBe(crc32c(ours.subarray(21)));
};

const record = (more: Partial<Known> = {}): Known => ({
  key: Buffer.from("key"),
  value: Buffer.from("value"),
  headers: [],
  ...(more.common && { encodedHeaders: encodeHeaders(more.common) }),
  ...more,
});

/** Larger than the initial buffer. */
const COMMON: Header[] = [
  ["type", "some.Type"],
  ["raw", Buffer.from([0, 255])],
  ["many", "a"],
  ["many", "b"],
  ["long", "x".repeat(70_000)],
];

describe("the same bytes as kafkajs", () => {
  const cases: Record<string, Known[]> = {
    "one record": [record()],
    "no key": [record({ key: null })],
    "no value": [record({ value: null })],
    "nothing in key and value": [record({ key: Buffer.alloc(0), value: Buffer.alloc(0) })],
    "headers of text and of bytes, empty and repeated": [
      record({
        headers: [
          ["content-type", "application/avro"],
          ["empty", ""],
          ["many", "a"],
          ["many", Buffer.from([0, 255, 128])],
          ["many", "c"],
        ],
      }),
    ],
    "text beyond ASCII": [
      record({
        headers: [
          ["ação", "cotação €"],
          ["\u{1F4B1}", "\u{1F4B1}"],
          ["half", "\uD83D"],
        ],
      }),
    ],
    "headers that are encoded already": [
      record({ common: COMMON, headers: [["own", "1"]] }),
      record({ common: COMMON }),
      record({ common: [["other", Buffer.from("2")]], headers: [["own", "2"]] }),
      record({ headers: [["own", "3"]] }),
    ],
    "records that differ": [record(), record({ key: null, headers: [["a", "b"]] }), record({ value: null })],
  };
  test.each(Object.entries(cases))("%s", async (_, records) => expectSame(records));

  test.each([50, 56, 57, 62, 63, 64, 126, 127, 128, 8_180, 8_190, 8_192, 70_000, 900_000])(
    "a value of %i bytes, around which the length takes a byte more",
    (bytes) => expectSame([record({ value: Buffer.alloc(bytes, "x") }), record()]),
  );

  test("more records than fit into the initial buffer", () =>
    expectSame(
      Array.from({ length: 1_000 }, (_, i) =>
        record({
          headers: [
            ["n", String(i)],
            ["long", "é".repeat(i)],
          ],
        }),
      ),
    ));

  test("random records", async () => {
    const random = randomFrom(1);
    const chance = (n: number): number => Math.floor(random() * n);
    const text = (): string =>
      String.fromCharCode(...Array.from({ length: chance(40) }, () => chance(0x3000)));
    const headers = (): Header[] => Array.from({ length: chance(6) }, (_, i) => [`h${i}${text()}`, text()]);
    const some = (): Outgoing => ({
      key: chance(4) === 0 ? null : Buffer.from(text()),
      value: Buffer.alloc(chance(500), chance(256)),
      headers: headers(),
    });
    for (let round = 0; round < 200; round++) await expectSame(Array.from({ length: 1 + chance(20) }, some));
  });
});

test("headers that no object can hold are read back as they were written", () => {
  const headers: Header[] = [
    ["a", "1"],
    ["a", null],
    ["", null],
    ["__proto__", Buffer.from([0, 255])],
    ["2", ""],
    ["a", "x".repeat(200)],
    ["1", "last"],
  ];
  const read = [...eachHeader(encodeHeaders(headers))];
  expect(read.map(([name, value]) => [name.toString(), value])).toEqual(
    headers.map(([name, value]) => [name, value === null ? null : Buffer.from(value)]),
  );
});

test("the next batch does not overwrite a batch", () => {
  const first = recordBatch([record()], NOW_MS);
  const copy = Buffer.from(first);
  recordBatch([record({ value: Buffer.alloc(200, "y") })], NOW_MS);
  expect(first).toEqual(copy);
});

test("the checksum is CRC-32C", () => {
  expect(crc32c(Buffer.from("123456789"))).toBe(0xe3069283);
  // RFC 3720, appendix B.4.
  expect(crc32c(Buffer.alloc(32, 0))).toBe(0x8a9136aa);
  expect(crc32c(Buffer.alloc(32, 0xff))).toBe(0x62a8ab43);
  expect(crc32c(Buffer.from(Array.from({ length: 32 }, (_, i) => i)))).toBe(0x46dd794e);
});
