import { promisify } from "node:util";
import { constants, unzip, zstdDecompress } from "node:zlib";
import kafkajs, { CompressionTypes } from "kafkajs";
import lz4 from "lz4js";
import { uncompress } from "snappyjs";
import { messageOf } from "../runtime/errors.ts";
import { BatchError } from "./kafkajs-fixes/checked-batches.ts";

/** Throws when the data is broken, or would become larger than `maxBytes`. */
type Decompress = (data: Buffer, maxBytes: number) => Buffer | Promise<Buffer>;

/** Far above what producers write: a batch has at most 1 MB on the wire by default. */
const MAX_BATCH_BYTES = 64 * 1024 * 1024;

const unzipAsync = promisify(unzip);
const GZIP_MAGIC = 0x1f8b;
const GZIP_HEAD_BYTES = 18;
/** Deflate makes nothing smaller than this part of it: a larger size is none, but what follows the data. */
const DEFLATE_RATIO = 1_032;

/** The last bytes say how large it becomes. What says less than is true is found out by unpacking it. */
const decompressGzip: Decompress = (data, maxBytes) => {
  const isGzip = data.length >= GZIP_HEAD_BYTES && data.readUInt16BE(0) === GZIP_MAGIC;
  const size = isGzip ? data.readUInt32LE(data.length - 4) : 0;
  if (size > maxBytes && size <= DEFLATE_RATIO * data.length)
    throw new Error(`it would become ${size} bytes`);
  return unzipAsync(data, { maxOutputLength: maxBytes });
};

/** What every Java producer writes before its blocks. librdkafka writes one bare block. */
const JAVA_MAGIC = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00]);
const JAVA_HEAD_BYTES = 16;

const decompressSnappy: Decompress = (data, maxBytes) => {
  if (!data.subarray(0, JAVA_MAGIC.length).equals(JAVA_MAGIC)) return uncompress(data, maxBytes);
  const blocks: Buffer[] = [];
  let bytes = 0;
  for (let position = JAVA_HEAD_BYTES; position < data.length;) {
    const start = position + 4;
    position = start + data.readUInt32BE(position);
    if (position > data.length) throw new Error("a block is cut off");
    const block = uncompress(data.subarray(start, position), maxBytes - bytes);
    blocks.push(block);
    bytes += block.length;
  }
  return Buffer.concat(blocks, bytes);
};

/** Of an LZ4 frame: magic, flags, block size and header checksum. */
const LZ4_HEAD_BYTES = 7;
const LZ4_FLAG = { blockChecksums: 0x10, contentSize: 0x08 };
/** The other bit says that a block is stored as it is. */
const LZ4_BLOCK_BYTES = 0x7fff_ffff;

const decompressLz4: Decompress = (frame, maxBytes) => {
  const flags = frame.readUInt8(4);
  // lz4js takes them from the wrong place. No Kafka client writes any.
  if (flags & LZ4_FLAG.blockChecksums) throw new Error("its blocks have checksums");
  const largest = 1 << (8 + 2 * ((frame.readUInt8(5) >> 4) & 7));
  let most = 0;
  // lz4js believes what a block says of its length: it would read on for seconds, and take memory for whole blocks.
  for (let position = LZ4_HEAD_BYTES + (flags & LZ4_FLAG.contentSize ? 8 : 0); ;) {
    const head = frame.readUInt32LE(position);
    if (head === 0) break;
    const bytes = head & LZ4_BLOCK_BYTES;
    position += 4 + bytes;
    if (bytes > largest) throw new Error("a block is larger than its frame allows");
    if (position > frame.length) throw new Error("a block is cut off");
    most += Math.min(largest, 255 * bytes);
  }
  if (most > maxBytes) throw new Error(`it may become ${most} bytes`);
  const space = Buffer.alloc(most);
  const bytes = lz4.decompressFrame(frame, space);
  // A write beyond the end of a typed array is silently ignored.
  if (bytes > most) throw new Error("it becomes larger than it says");
  // A copy: the records are views of this buffer and would keep the unused rest in memory.
  return Buffer.from(space.subarray(0, bytes));
};

/** Producers declare a window of 128 MB for a few bytes. Memory that is not written to is not taken. */
const ZSTD_PARAMS = { [constants.ZSTD_d_windowLogMax]: 31 };

/** What `info` gives, which the types do not know: `bytesWritten` is how much of the input was read. */
type Frame = { buffer: Buffer; engine: { bytesWritten: number } };
const unzstd = promisify(zstdDecompress);

/** Decompresses Zstandard. Node.js 24 leaves out what follows the first frame: producers write no second one. */
const decompressZstd: Decompress = async (data, maxBytes) => {
  const options = { params: ZSTD_PARAMS, info: true, maxOutputLength: maxBytes };
  const { buffer, engine } = (await unzstd(data, options)) as unknown as Frame;
  if (engine.bytesWritten !== data.length) throw new Error("something follows the frame");
  return buffer;
};

const decompressors = [
  [CompressionTypes.GZIP, "gzip", decompressGzip],
  [CompressionTypes.Snappy, "snappy", decompressSnappy],
  [CompressionTypes.LZ4, "lz4", decompressLz4],
  [CompressionTypes.ZSTD, "zstd", decompressZstd],
] as const;

/** Fills kafkajs's one table of codecs. Its own codec of gzip does not limit the decompressed size. */
export const readAllCompressions = (maxBytes = MAX_BATCH_BYTES): void => {
  const { CompressionCodecs } = kafkajs;
  for (const [type, name, decompress] of decompressors) {
    const codec = {
      compress: () => Promise.reject(new Error(`records are never written with ${name}`)),
      decompress: async (data: Buffer): Promise<Buffer> => {
        try {
          return await decompress(data, maxBytes);
        } catch (error) {
          throw new BatchError(`cannot be decompressed (${name}): ${messageOf(error)}`, { cause: error });
        }
      },
    };
    CompressionCodecs[type] = () => codec;
  }
};
