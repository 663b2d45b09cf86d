import { promisify } from "node:util";
import { constants, unzip, zstdDecompressSync } from "node:zlib";
import { uncompress } from "snappyjs";

/** Throws when the data is broken, or would become larger than `maxBytes`. */
export type Decompress = (data: Buffer, maxBytes: number) => Buffer | Promise<Buffer>;

const unzipAsync = promisify(unzip);
export const decompressGzip: Decompress = (data, maxBytes) => unzipAsync(data, { maxOutputLength: maxBytes });

/** What every Java producer writes before its blocks. librdkafka writes one bare block. */
const JAVA_MAGIC = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00]);
/** Magic and two version numbers. */
const JAVA_HEAD_BYTES = 16;

/** Decompresses a bare snappy block, or the framed blocks of snappy-java. */
export const decompressSnappy: Decompress = (data, maxBytes) => {
  if (!data.subarray(0, JAVA_MAGIC.length).equals(JAVA_MAGIC)) return uncompress(data, maxBytes);
  const blocks: Buffer[] = [];
  let bytes = 0;
  for (let at = JAVA_HEAD_BYTES; at < data.length;) {
    const start = at + 4;
    at = start + data.readUInt32BE(at);
    if (at > data.length) throw new Error("a block is cut off");
    const block = uncompress(data.subarray(start, at), maxBytes - bytes);
    blocks.push(block);
    bytes += block.length;
  }
  return Buffer.concat(blocks, bytes);
};

/** Producers write one frame. Each costs a context, so that very many of them would block the process. */
const MAX_FRAMES = 1_000;
/**
 * All that the format allows: producers declare a window of 128 MB also for a few bytes, as they do not know the size
 * before. Memory that is not written to is not taken, so `maxOutputLength` bounds it.
 */
const params = { [constants.ZSTD_d_windowLogMax]: 31 };

/** What `info` gives, which the types do not know: `bytesWritten` is how much of the input was read. */
type Frame = { buffer: Buffer; engine: { bytesWritten: number } };

/**
 * Decompresses consecutive Zstandard frames. `node:zlib` leaves out all but the first, and on Node.js 22 it takes a
 * frame that is cut off for a whole one: they are read one by one, and a byte after the last shows what is missing.
 */
export const decompressZstd: Decompress = (data, maxBytes) => {
  const input = Buffer.concat([data, Buffer.alloc(1)]);
  const frames: Buffer[] = [];
  let bytes = 0;
  for (let at = 0; at < data.length;) {
    if (frames.length === MAX_FRAMES) throw new Error(`it has more than ${MAX_FRAMES} frames`);
    const options = { params, info: true, maxOutputLength: maxBytes - bytes + 1 };
    const { buffer, engine } = zstdDecompressSync(input.subarray(at), options) as unknown as Frame;
    frames.push(buffer);
    bytes += buffer.length;
    at += engine.bytesWritten;
    if (at > data.length) throw new Error("a frame is cut off");
    if (bytes > maxBytes) throw new Error(`it becomes larger than ${maxBytes} bytes`);
  }
  return Buffer.concat(frames, bytes);
};
