import { decompress } from "fzstd";

const MAGIC = 0xfd2fb528;
/** Skippable frames; the last hexadecimal digit is arbitrary. */
const SKIPPABLE_MAGIC = 0x184d2a50;
const MAX_BLOCK_BYTES = 131_072;
const CHECKSUM_BYTES = 4;
const DICTIONARY_ID_BYTES = [0, 1, 2, 4];

/** The descriptor of a frame's window, from which `2 ** (10 + exponent)` bytes follow. */
const WINDOW_AT = 5;
const SMALLEST_EXPONENT = 10;
const LARGEST_BLOCK_EXPONENT = 17;

/** The header of a frame. `contentBytes`: as declared; 0 if it is not. `hasWindow`: whether it has a descriptor. */
type Head = { bytes: number; contentBytes: number; hasWindow: boolean; checksum: boolean };

const contentSizeAt = (frame: Buffer, at: number, bytes: number): number => {
  if (bytes === 0) return 0;
  if (bytes === 8) return Number(frame.readBigUInt64LE(at));
  return frame.readUIntLE(at, bytes) + (bytes === 2 ? 256 : 0);
};

const headOf = (frame: Buffer): Head => {
  const flags = frame.readUInt8(4);
  const hasWindow = (flags & 0x20) === 0;
  const dictionaryAt = WINDOW_AT + Number(hasWindow);
  const dictionaryBytes = DICTIONARY_ID_BYTES[flags & 3] ?? 0;
  if (dictionaryBytes > 0 && frame.readUIntLE(dictionaryAt, dictionaryBytes) > 0)
    throw new Error("it needs a dictionary");
  const sizeAt = dictionaryAt + dictionaryBytes;
  const sizeBytes = flags >> 6 === 0 ? Number(!hasWindow) : 1 << (flags >> 6);
  const contentBytes = contentSizeAt(frame, sizeAt, sizeBytes);
  return { bytes: sizeAt + sizeBytes, contentBytes, hasWindow, checksum: (flags & 4) !== 0 };
};

type Measure = Pick<Head, "contentBytes" | "hasWindow"> & { frameBytes: number; most: number };

/**
 * The length of a frame and the largest size that it can decompress to, read from its block headers. fzstd
 * has no limit of its own.
 */
const measure = (frame: Buffer): Measure => {
  const magic = frame.readUInt32LE(0);
  if ((magic & 0xfffffff0) >>> 0 === SKIPPABLE_MAGIC)
    return { frameBytes: 8 + frame.readUInt32LE(4), most: 0, contentBytes: 0, hasWindow: false };
  if (magic !== MAGIC) throw new Error("not a Zstandard frame");
  const { bytes, contentBytes, hasWindow, checksum } = headOf(frame);
  let at = bytes;
  let most = 0;
  for (let isLast = false; !isLast;) {
    const block = frame.readUIntLE(at, 3);
    const size = block >> 3;
    const type = ["raw", "repeated", "compressed", "reserved"][(block >> 1) & 3];
    if (type === "reserved") throw new Error("an unknown type of block");
    most += type === "compressed" ? MAX_BLOCK_BYTES : size;
    at += 3 + (type === "repeated" ? 1 : size);
    isLast = (block & 1) === 1;
  }
  return { frameBytes: at + (checksum ? CHECKSUM_BYTES : 0), most, contentBytes, hasWindow };
};

/** The smallest descriptor of a window for so many bytes. fzstd sizes its blocks by it, so it holds the largest block. */
const windowFor = (bytes: number): number =>
  (Math.max(LARGEST_BLOCK_EXPONENT, Math.ceil(Math.log2(bytes))) - SMALLEST_EXPONENT) << 3;

/**
 * Decompresses consecutive Zstandard frames. Their checksums are not verified. (Node.js 20 has no zstd. Once
 * it need not be supported, `zstdDecompress` of `node:zlib`, with its `maxOutputLength`, can replace this
 * file and fzstd.)
 *
 * fzstd allocates each frame's window, and moves all of it for each block. Producers declare one of up to 128 MB also for a few
 * bytes, as they do not know the size before. No frame refers back further than its own output, so a smaller window does.
 * @throws when the data is corrupt, or might decompress to more than `maxBytes`
 */
export const decompressZstd = (data: Buffer, maxBytes: number): Buffer => {
  const frames = Buffer.from(data);
  let most = 0;
  for (let at = 0; at < frames.length;) {
    const frame = measure(frames.subarray(at));
    most += frame.most;
    if (Math.max(most, frame.contentBytes) > maxBytes)
      throw new Error(`it may become ${Math.max(most, frame.contentBytes)} bytes`);
    if (frame.hasWindow) {
      const descriptor = Math.min(frames.readUInt8(at + WINDOW_AT), windowFor(frame.most));
      frames.writeUInt8(descriptor, at + WINDOW_AT);
    }
    at += frame.frameBytes;
    if (at > frames.length) throw new Error("a frame is cut off");
  }
  const bytes = decompress(frames);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
};
