import { constants, zstdDecompressSync } from "node:zlib";

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
 * frame that is cut off for a whole one: so the frames are read one by one, and a byte after the last shows whether
 * that needs more than there is.
 * @throws when the data is corrupt, or would become larger than `maxBytes`
 */
export const decompressZstd = (data: Buffer, maxBytes: number): Buffer => {
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
