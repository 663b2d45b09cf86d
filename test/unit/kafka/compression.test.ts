import { readFileSync } from "node:fs";
import { constants, gunzipSync, gzipSync, zstdCompressSync } from "node:zlib";
import kafkajs, { CompressionTypes } from "kafkajs";
import lz4 from "lz4js";
import { compress as snappy } from "snappyjs";
import { beforeEach, describe, expect, it } from "vitest";
import { newClient } from "../../../src/kafka/client.ts";
import { readAllCompressions } from "../../../src/kafka/compression.ts";
import { BatchError } from "../../../src/kafka/kafkajs-fixes/checked-batches.ts";
import { silent } from "../../../src/runtime/log.ts";

type Codec = { decompress: (data: Buffer) => Promise<Buffer> };

const CODECS = {
  gzip: CompressionTypes.GZIP,
  snappy: CompressionTypes.Snappy,
  lz4: CompressionTypes.LZ4,
  zstd: CompressionTypes.ZSTD,
} as const;
type Name = keyof typeof CODECS;
const names = Object.keys(CODECS) as Name[];

/**
 * The same twelve records as Kafka's Java producer 4.3.1 and librdkafka 2.16 compressed them: the bytes between a batch's head and its
 * end, in base64.
 */
const batches = JSON.parse(
  readFileSync(new URL("../../support/compressed-batches.json", import.meta.url), "utf8"),
) as Record<"java" | "librdkafka", Record<Name, string>>;

const batch = (producer: "java" | "librdkafka", name: Name): Buffer =>
  Buffer.from(batches[producer][name], "base64");

const codecs = kafkajs.CompressionCodecs as Record<(typeof CODECS)[Name], () => Codec>;

const decompress = (name: Name, data: Buffer): Promise<Buffer> => codecs[CODECS[name]]().decompress(data);

const bridgeClient = newClient(
  { brokers: ["127.0.0.1:1"], clientId: "test", tls: false, sasl: null },
  silent,
);
beforeEach(() => void bridgeClient());

const records = gunzipSync(batch("java", "gzip"));

describe.each(["java", "librdkafka"] as const)("a batch of %s", (producer) => {
  it.each(names)("with %s is read", async (name) => {
    expect((await decompress(name, batch(producer, name))).equals(records)).toBe(true);
  });

  it.each(names)("with %s, cut off anywhere, is refused or does not hold the same", async (name) => {
    const data = batch(producer, name);
    // A checksum at the end is not looked at, nor missed.
    for (let bytes = 0; bytes < data.length - 8; bytes += 1) {
      const outcome = await decompress(name, data.subarray(0, bytes)).then(
        (read) => (read.equals(records) ? "the same" : "something else"),
        (error: unknown) => error,
      );
      expect(outcome === "something else" || outcome instanceof BatchError).toBe(true);
    }
  });

  it.each(names)("with %s, larger than the bound, is refused", async (name) => {
    readAllCompressions(records.length - 1);
    await expect(decompress(name, batch(producer, name))).rejects.toThrow(BatchError);
  });
});

/** Compresses well in parts and not at all in others, over many blocks. */
const large = Buffer.concat(
  Array.from({ length: 40 }, (_, part) =>
    part % 2 === 0
      ? Buffer.alloc(30_000, part)
      : Buffer.from(Array.from({ length: 30_000 }, (_value, at) => (at * 2_654_435_761 * part) >>> 24)),
  ),
);

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};

const JAVA_HEAD = Buffer.from("82534e41505059000000000100000001", "hex");
const javaBlocks = [large.subarray(0, 50_000), large.subarray(50_000)].flatMap((part) => {
  const block = snappy(part);
  return [uint32(block.length).reverse(), block];
});

/** Magic, flags, the code of the block size, and a header checksum that is wrong, as old clients of Kafka wrote it. */
const lz4Head = (flags: number, sizeCode: number): Buffer =>
  Buffer.from([0x04, 0x22, 0x4d, 0x18, flags, sizeCode << 4, 0xee]);
const small = Buffer.concat([uint32(5), Buffer.from([0x40]), Buffer.from("abcd")]);
const stored = [uint32(0x80000000 + 5), Buffer.from("as is")];

const zstdHead = (descriptor: number): Buffer => Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, descriptor]);
/** A block that repeats one byte. */
const repeated = (bytes: number, isLast: boolean): Buffer =>
  Buffer.concat([uint32((bytes << 3) | 2 | Number(isLast)).subarray(0, 3), Buffer.from([0x61])]);
const level22 = Buffer.from("KLUv/QCIrAAAeGhlbGxvIGEgY29tbWFuZAEA4UoRAQAA", "base64");

it.each<[string, Name, Buffer[], Buffer | string]>([
  ["many blocks of gzip", "gzip", [gzipSync(large)], large],
  ["many blocks of snappy", "snappy", [snappy(large)], large],
  ["Java's blocks of snappy", "snappy", [JAVA_HEAD, ...javaBlocks], large],
  ["many blocks of LZ4", "lz4", [Buffer.from(lz4.compress(large))], large],
  [
    "many small blocks of LZ4, whatever size their frame allows",
    "lz4",
    [lz4Head(0x60, 7), ...Array<Buffer>(40).fill(small), uint32(0)],
    "abcd".repeat(40),
  ],
  ["stored blocks of LZ4", "lz4", [lz4Head(0x60, 4), ...stored, ...stored, uint32(0)], "as isas is"],
  ["a window of 1 GB", "zstd", [zstdHead(0xa0), repeated(3, false), repeated(2, true)], "aaaaa"],
  ["a window of 128 MB, as Kafka's level 22 has", "zstd", [level22], "hello hello hello a command"],
])("reads %s", async (_, name, parts, expected) => {
  expect((await decompress(name, Buffer.concat(parts))).equals(Buffer.from(expected))).toBe(true);
});

/** Frames of Zstandard, with and without checksum, that are whole. */
const whole = [
  Buffer.concat([zstdHead(0x38), repeated(3, false), repeated(2, true)]),
  zstdCompressSync("a command", { params: { [constants.ZSTD_c_checksumFlag]: 1 } }),
];

it("refuses Zstandard that is cut off, or goes on with something else", async () => {
  for (const frame of whole) {
    for (let bytes = 1; bytes < frame.length; bytes += 1)
      await expect(decompress("zstd", frame.subarray(0, bytes)), `${bytes} bytes`).rejects.toThrow(
        BatchError,
      );
    await expect(decompress("zstd", Buffer.concat([frame, Buffer.from("more")]))).rejects.toThrow(BatchError);
    // Node.js 26 reads a second frame, 24 does not: then it is refused, and never left out.
    const first = await decompress("zstd", frame);
    const both = await decompress("zstd", Buffer.concat([frame, frame])).catch(() => null);
    expect([null, Buffer.concat([first, first])]).toContainEqual(both);
  }
});

const javaBlock = Buffer.from("0000000680808010fe01", "hex");
const lz4Block = [uint32(20_000), Buffer.alloc(20_000)];
const lz4Growing = [
  uint32(1_004),
  Buffer.from([0x1f, 0x61, 1, 0]),
  Buffer.alloc(999, 0xff),
  Buffer.from([0]),
];
const lz4Long = Buffer.from("04224d1860400000000080ffffff7f104101000000", "hex");
const lz4Sized = [lz4Head(0x68, 4).subarray(0, 6), Buffer.alloc(9), uint32(0xffffffff), Buffer.alloc(40)];
const zstdSized = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0, 0, 0, 0, 0, 0x10]);
const bombs: [string, Name, Buffer[]][] = [
  ["no gzip", "gzip", [Buffer.from("not gzip")]],
  ["no snappy", "snappy", [Buffer.from([0x80])]],
  ["no LZ4", "lz4", [Buffer.from("not a frame of LZ4")]],
  ["no Zstandard", "zstd", [Buffer.from("not a frame of Zstandard")]],
  ["gzip that grows a thousandfold", "gzip", [gzipSync(Buffer.alloc(64 * 1024 * 1024 + 1))]],
  ["snappy that says it is 4 GB", "snappy", [Buffer.from("ffffffff0f00", "hex")]],
  ["Java's snappy in many blocks", "snappy", [JAVA_HEAD, ...Array<Buffer>(3).fill(javaBlock)]],
  ["LZ4 with an empty stored block before one that says that it is 2 GB", "lz4", [lz4Long]],
  ["LZ4 in many blocks", "lz4", [lz4Head(0x60, 7), ...Array<Buffer[]>(17).fill(lz4Block).flat(), uint32(0)]],
  ["LZ4 whose stored block says that it is 2 GB", "lz4", lz4Sized],
  ["LZ4 with a block larger than its frame allows", "lz4", [lz4Head(0x60, 4), ...lz4Growing, uint32(0)]],
  [
    "Zstandard that repeats a byte",
    "zstd",
    [zstdHead(0x38), ...Array<Buffer>(600).fill(repeated(131_072, false)), repeated(1, true)],
  ],
  ["Zstandard that says it is 2 ** 60 bytes", "zstd", [zstdSized, repeated(1, true)]],
];

it.each(bombs)("refuses %s, and says what it was", async (_, name, parts) => {
  const refused = decompress(name, Buffer.concat(parts));
  await expect(refused).rejects.toThrow(BatchError);
  await expect(refused).rejects.toThrow(`cannot be decompressed (${name}): `);
});
