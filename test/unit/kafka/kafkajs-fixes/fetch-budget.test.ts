import { createRequire } from "node:module";
import { gzipSync } from "node:zlib";
import { beforeEach, expect, it } from "vitest";
import { readAllCompressions } from "../../../../src/kafka/compression/compression.ts";

type Fetched = { offset: string; value: Buffer | null }[];

const require = createRequire(import.meta.url);
const Decoder = require("kafkajs/src/protocol/decoder.js") as new (bytes: Buffer) => object;
/** kafkajs's decoder of one partition in the answer to a fetch. */
const decodeMessages = require("kafkajs/src/protocol/requests/fetch/v4/decodeMessages.js") as (
  decoder: object,
) => Promise<Fetched>;

const MIB = 1024 * 1024;
const HEAD_BYTES = 61;

const varint = (value: number): number[] => {
  const rest = value * 2;
  const bytes = [];
  let left = rest;
  for (; left >= 128; left = Math.floor(left / 128)) bytes.push((left % 128) | 128);
  return [...bytes, left];
};

/** A record without key and headers, whose value has so many bytes. */
const recordOf = (nth: number, bytes: number): Buffer => {
  const head = [0, 0, ...varint(nth), 1, ...varint(bytes)];
  const length = varint(head.length + bytes + 1);
  return Buffer.concat([Buffer.from([...length, ...head]), Buffer.alloc(bytes), Buffer.from([0])]);
};

/** A batch of one record, or of so many, compressed with gzip, as a broker keeps it. */
const batchOf = (offset: number, bytes: number, count = 1): Buffer => {
  const records = Array.from({ length: count }, (_, nth) => recordOf(nth, bytes));
  const data = gzipSync(Buffer.concat(records));
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeBigInt64BE(BigInt(offset), 0);
  head.writeInt32BE(HEAD_BYTES - 12 + data.length, 8);
  head.writeInt8(2, 16);
  head.writeInt16BE(1, 21);
  head.writeInt32BE(count - 1, 23);
  head.writeInt32BE(count, 57);
  return Buffer.concat([head, data]);
};

/**
 * A fetch's answer with these batches in each of its partitions; reads one partition after the other, as
 * kafkajs does.
 */
const fetched = async (...partitions: Buffer[][]): Promise<Fetched[]> => {
  const parts = partitions.map((batches) => {
    const size = Buffer.alloc(4);
    size.writeInt32BE(batches.reduce((sum, { length }) => sum + length, 0));
    return Buffer.concat([size, ...batches]);
  });
  const answer = Buffer.from(new Uint8Array(Buffer.concat(parts)).buffer);
  const read: Fetched[] = [];
  let at = 0;
  for (const { length } of parts) {
    read.push(await decodeMessages(new Decoder(answer.subarray(at, at + length))));
    at += length;
  }
  return read;
};

const offsetsOf = (records: Fetched): number[] => records.map(({ offset }) => Number(offset));

beforeEach(() => readAllCompressions());

it("leaves batches to the next fetch once those before take 16 MiB", async () => {
  const batches = [0, 1, 2, 3, 4].map((offset) => batchOf(offset, 10 * MIB));
  const rounds: number[][] = [];
  while (rounds.flat().length < batches.length && rounds.length < 10) {
    const [records = []] = await fetched(batches.slice(rounds.flat().length));
    rounds.push(offsetsOf(records));
  }
  expect(rounds).toEqual([[0, 1], [2, 3], [4]]);
});

it("counts over all partitions of a fetch", async () => {
  const large = [batchOf(0, 20 * MIB), batchOf(1, 100)];
  expect((await fetched(large, [batchOf(0, 100)], [batchOf(0, 100)])).map(offsetsOf)).toEqual([[0], [], []]);
  expect((await fetched([batchOf(1, 100)], [batchOf(0, 100)])).map(offsetsOf)).toEqual([[1], [0]]);
});

it("counts the overhead of many small records", async () => {
  const batches = [0, 1, 2].map((nth) => batchOf(nth * 30_000, 8, 30_000));
  const [records = []] = await fetched(batches);
  expect(records).toHaveLength(60_000);
});

it("refuses a batch of more records than kafkajs can read, and says so", async () => {
  await expect(fetched([batchOf(7, 0, 125_000)])).rejects.toThrow(
    "at offset 7, 125000 records, cannot be decompressed: it has more than 100000 records",
  );
});
