import kafkajs, { CompressionTypes } from "kafkajs";
import { messageOf } from "../../runtime/errors.ts";
import { addToBudget, checkBudget } from "../kafkajs-fixes/fetch-budget.ts";
import { decompressGzip, decompressSnappy, decompressZstd, type Decompress } from "./decompressors.ts";
import { decompressLz4 } from "./lz4.ts";

/** A record batch cannot be decompressed: it is corrupt, or would take too much memory. A retry does not help. */
export class DecompressionError extends Error {
  override readonly name = "DecompressionError";
}

/** Far above what producers write: a batch has at most 1 MB on the wire by default. */
const MAX_BATCH_BYTES = 64 * 1024 * 1024;
/** kafkajs passes all records of a batch as arguments of one call, which overflows the stack at about 120,000. */
const MAX_BATCH_RECORDS = 100_000;

const decompressors: readonly [Exclude<CompressionTypes, CompressionTypes.None>, string, Decompress][] = [
  [CompressionTypes.GZIP, "gzip", decompressGzip],
  [CompressionTypes.Snappy, "snappy", decompressSnappy],
  [CompressionTypes.LZ4, "lz4", decompressLz4],
  [CompressionTypes.ZSTD, "zstd", decompressZstd],
];

/** The header of a record batch, before its records: offset, lengths, checksum, ids and count. */
const BATCH_HEADER_BYTES = 61;

/**
 * kafkajs passes a view of the fetched bytes; the batch's header lies before it. Null when the bytes there are not such
 * a header.
 */
const batchHeaderOf = (data: Buffer): { offset: bigint; records: number } | null => {
  if (data.byteOffset < BATCH_HEADER_BYTES) return null;
  const head = Buffer.from(data.buffer, data.byteOffset - BATCH_HEADER_BYTES, BATCH_HEADER_BYTES);
  const isHead = head.readInt32BE(8) === BATCH_HEADER_BYTES - 12 + data.length && head.readInt8(16) === 2;
  return isHead ? { offset: head.readBigInt64BE(0), records: head.readInt32BE(57) } : null;
};

const codec = (name: string, decompress: Decompress, maxBytes: number) => ({
  compress: () => Promise.reject(new Error(`records are never written with ${name}`)),
  decompress: async (data: Buffer): Promise<Buffer> => {
    checkBudget(data);
    const head = batchHeaderOf(data);
    try {
      if (head && head.records > MAX_BATCH_RECORDS)
        throw new Error(`it has more than ${MAX_BATCH_RECORDS} records`);
      const records = await decompress(data, maxBytes);
      addToBudget(data, records.length, head?.records ?? 0);
      return records;
    } catch (error) {
      // Names the batch, so that an operator can find or skip it.
      const place = head ? ` at offset ${head.offset}, ${head.records} records,` : "";
      const reason = `a ${name} batch of ${data.length} bytes${place} cannot be decompressed: ${messageOf(error)}`;
      throw new DecompressionError(reason, { cause: error });
    }
  },
});

/**
 * Lets kafkajs read batches of every compression type of Kafka. kafkajs has one table of codecs per process; setting
 * them again is harmless. Its own gzip codec is replaced because it does not limit the decompressed size.
 */
export const readAllCompressions = (maxBytes = MAX_BATCH_BYTES): void => {
  const { CompressionCodecs } = kafkajs;
  for (const [type, name, decompress] of decompressors) {
    const made = codec(name, decompress, maxBytes);
    CompressionCodecs[type] = () => made;
  }
};
