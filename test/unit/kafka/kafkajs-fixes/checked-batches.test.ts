import { createRequire } from "node:module";
import { CompressionTypes } from "kafkajs";
import { expect, it } from "vitest";
import { readAllCompressions } from "../../../../src/kafka/compression.ts";
import {
  BatchError,
  checkBatches,
  unreadableBatchOf,
} from "../../../../src/kafka/kafkajs-fixes/checked-batches.ts";
import { crc32c } from "../../../../src/kafka/crc32c.ts";
import { readWholeHeaders } from "../../../../src/kafka/kafkajs-fixes/whole-headers.ts";
import { gzipBatch, recordBatch } from "../../../../src/kafka/produce/record-batch.ts";

readWholeHeaders();
checkBatches();
readAllCompressions();

const require = createRequire(import.meta.url);
const Decoder = require("kafkajs/src/protocol/decoder.js") as new (bytes: Buffer) => object;
/** kafkajs's decoder of one partition in the answer to a fetch. */
const decode = require("kafkajs/src/protocol/requests/fetch/v4/decodeMessages.js") as (
  decoder: object,
) => Promise<{ offset: string; value: Buffer }[]>;
/** Rejects with what a reader is told of the partition, instead of failing the whole fetch. */
const decodeMessages: typeof decode = async (decoder) => {
  const records = await decode(decoder);
  const error = unreadableBatchOf(records);
  if (error) throw error;
  return records;
};

/** The checksum covers what follows it; a broker may write the offset, length and leader epoch before it. */
const CHECKSUM_AT = 17;
const ATTRIBUTES_AT = 21;

const batchOf = (offset: number, value: string): Buffer => {
  const batch = recordBatch([{ key: Buffer.from("quote-1"), value: Buffer.from(value), headers: [] }], 0);
  batch.writeBigInt64BE(BigInt(offset), 0);
  return batch;
};

const fetched = async (...batches: Buffer[]): Promise<string[]> => {
  const bytes = Buffer.concat(batches);
  const size = Buffer.alloc(4);
  size.writeInt32BE(bytes.length);
  const records = await decodeMessages(new Decoder(Buffer.concat([size, bytes])));
  return records.map(({ offset, value }) => `${offset} ${value.toString()}`);
};

it("reads what lies before a batch that is cut off", async () => {
  const cut = batchOf(4712, "a longer value").subarray(0, -5);
  expect(await fetched(batchOf(4711, "one"), cut)).toEqual(["4711 one"]);
});

it("refuses a first batch whose length is wrong: kafkajs would take it for cut off, and ask again for ever", async () => {
  const LENGTH_AT = 8;
  for (const bit of [0, 7, 8, 16, 30, 31]) {
    const changed = batchOf(4712, "1000.00");
    changed.writeInt32BE(changed.readInt32BE(LENGTH_AT) ^ (1 << bit), LENGTH_AT);
    await expect(fetched(changed), `bit ${bit}`).rejects.toThrow(BatchError);
  }
});

it("refuses a batch of which a single bit was changed, and says which", async () => {
  const batch = batchOf(4712, "1000.00");
  for (let at = CHECKSUM_AT; at < batch.length; at += 1) {
    const changed = Buffer.from(batch);
    changed.writeUInt8(changed.readUInt8(at) ^ 0x08, at);
    await expect(fetched(changed), `byte ${at}`).rejects.toThrow(BatchError);
  }
  const changed = Buffer.from(batch);
  changed.write("9", changed.indexOf("1000.00"));
  await expect(fetched(changed)).rejects.toThrow(
    `a batch of ${batch.length} bytes at offset 4712, 1 records, is corrupt: its checksum does not match`,
  );
});

it("delivers what lies before a batch that cannot be read; the next fetch begins with it", async () => {
  const changed = batchOf(4712, "1000.00");
  changed.write("9", changed.indexOf("1000.00"));
  const after = batchOf(4713, "three");
  expect(await fetched(batchOf(4711, "one"), changed, after)).toEqual(["4711 one"]);
  await expect(fetched(changed, after)).rejects.toThrow(BatchError);

  const noGzip = batchOf(4712, "1000.00");
  noGzip.writeInt16BE(CompressionTypes.GZIP, ATTRIBUTES_AT);
  noGzip.writeUInt32BE(crc32c(noGzip.subarray(ATTRIBUTES_AT)), CHECKSUM_AT);
  expect(await fetched(batchOf(4711, "one"), noGzip, after)).toEqual(["4711 one"]);
  await expect(fetched(noGzip, after)).rejects.toThrow(
    "at offset 4712, 1 records, cannot be decompressed (gzip)",
  );
});

it("fails when only batches without records lie before it: kafkajs would repeat the fetch for ever", async () => {
  const compacted = recordBatch([], 0);
  compacted.writeBigInt64BE(4711n, 0);
  const changed = batchOf(4712, "1000.00");
  changed.write("9", changed.indexOf("1000.00"));
  expect(await fetched(compacted)).toEqual([]);
  await expect(fetched(compacted, changed)).rejects.toThrow(BatchError);
});

const MIB = 1024 * 1024;

/** A batch of one value of so many bytes, or of so many values, compressed. */
const compressed = async (offset: number, bytes: number, count = 1): Promise<Buffer> => {
  const value = Buffer.alloc(bytes);
  const batch = await gzipBatch(recordBatch(Array(count).fill({ key: null, value, headers: [] }), 0));
  batch.writeBigInt64BE(BigInt(offset), 0);
  return batch;
};

/** The offsets that are read of a fetch's answer with these batches in each of its partitions. */
const offsetsOf = async (...partitions: Promise<Buffer>[][]): Promise<number[][]> => {
  const parts: Buffer[] = [];
  for (const batches of partitions) {
    const bytes = Buffer.concat(await Promise.all(batches));
    const size = Buffer.alloc(4);
    size.writeInt32BE(bytes.length);
    parts.push(Buffer.concat([size, bytes]));
  }
  const answer = Buffer.from(new Uint8Array(Buffer.concat(parts)).buffer);
  const read: number[][] = [];
  let at = 0;
  for (const { length } of parts) {
    const records = await decodeMessages(new Decoder(answer.subarray(at, at + length)));
    read.push(records.map(({ offset }) => Number(offset)));
    at += length;
  }
  return read;
};

it("leaves batches to the next fetch once those before take 16 MiB", async () => {
  const batches = [0, 1, 2, 3, 4].map((offset) => compressed(offset, 10 * MIB));
  const rounds: number[][] = [];
  while (rounds.flat().length < batches.length && rounds.length < 10)
    rounds.push(...(await offsetsOf(batches.slice(rounds.flat().length))));
  expect(rounds).toEqual([[0, 1], [2, 3], [4]]);
});

it("counts over all partitions of a fetch", async () => {
  const large = [compressed(0, 20 * MIB), compressed(1, 100)];
  expect(await offsetsOf(large, [compressed(0, 100)], [compressed(0, 100)])).toEqual([[0], [], []]);
  expect(await offsetsOf([compressed(1, 100)], [compressed(0, 100)])).toEqual([[1], [0]]);
});

it("counts the overhead of many small records", async () => {
  const [offsets] = await offsetsOf([0, 1, 2].map((nth) => compressed(nth * 30_000, 8, 30_000)));
  expect(offsets).toHaveLength(60_000);
});

it("refuses a batch of more records than kafkajs can read, and says so", async () => {
  await expect(offsetsOf([compressed(7, 0, 125_000)])).rejects.toThrow(
    "at offset 7, 125000 records, cannot be read: it has more than 100000 records",
  );
});
