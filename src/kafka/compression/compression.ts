import { promisify } from "node:util";
import { unzip } from "node:zlib";
import kafkajs, { CompressionTypes } from "kafkajs";
import { messageOf } from "../../runtime/errors.ts";
import { decompressLz4 } from "./lz4.ts";
import { decompressSnappy } from "./snappy.ts";
import { decompressZstd } from "./zstd.ts";

/** A batch of records cannot be decompressed: it is broken, or would take too much memory. Trying again changes nothing. */
export class DecompressionError extends Error {
  override readonly name = "DecompressionError";
}

/** No producer with sane settings comes near it: a batch has 1 MB on the wire by default. */
const MAX_BATCH_BYTES = 64 * 1024 * 1024;

type Decompress = (data: Buffer, maxBytes: number) => Buffer | Promise<Buffer>;

const unzipped = promisify(unzip);
const decompressGzip: Decompress = (data, maxBytes) => unzipped(data, { maxOutputLength: maxBytes });

const decompressors: readonly [Exclude<CompressionTypes, CompressionTypes.None>, string, Decompress][] = [
  [CompressionTypes.GZIP, "gzip", decompressGzip],
  [CompressionTypes.Snappy, "snappy", decompressSnappy],
  [CompressionTypes.LZ4, "lz4", decompressLz4],
  [CompressionTypes.ZSTD, "zstd", decompressZstd],
];

/** Offset, lengths, checksum, ids and count in front of a batch's records. */
const BATCH_HEAD_BYTES = 61;

/**
 * Which batch it is, for whoever has to look after it: kafkajs hands over a window on what was fetched, with the batch's head in front
 * of it. Empty where the bytes there do not look like that head.
 */
const placeOf = (data: Buffer): string => {
  if (data.byteOffset < BATCH_HEAD_BYTES) return "";
  const head = Buffer.from(data.buffer, data.byteOffset - BATCH_HEAD_BYTES, BATCH_HEAD_BYTES);
  const isHead = head.readInt32BE(8) === BATCH_HEAD_BYTES - 12 + data.length && head.readInt8(16) === 2;
  return isHead ? ` at offset ${head.readBigInt64BE(0)}, ${head.readInt32BE(57)} records,` : "";
};

const codec = (name: string, decompress: Decompress, maxBytes: number) => ({
  compress: () => Promise.reject(new Error(`records are never written with ${name}`)),
  decompress: async (data: Buffer): Promise<Buffer> => {
    try {
      return await decompress(data, maxBytes);
    } catch (error) {
      const reason = `a ${name} batch of ${data.length} bytes${placeOf(data)} cannot be decompressed: ${messageOf(error)}`;
      throw new DecompressionError(reason, { cause: error });
    }
  },
});

/**
 * Lets kafkajs read batches of every compression that Kafka knows. Its codecs are one table per process; filling it again changes
 * nothing. Its own gzip knows no bound and is replaced.
 */
export const readAllCompressions = (maxBytes = MAX_BATCH_BYTES): void => {
  const { CompressionCodecs } = kafkajs;
  for (const [type, name, decompress] of decompressors) {
    const made = codec(name, decompress, maxBytes);
    CompressionCodecs[type] = () => made;
  }
};
