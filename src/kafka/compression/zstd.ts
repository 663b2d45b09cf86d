import { decompress } from "fzstd";

const MAGIC = 0xfd2fb528;
/** Skippable frames; the last hexadecimal digit is arbitrary. */
const SKIPPABLE_MAGIC = 0x184d2a50;
const MAX_BLOCK_BYTES = 131_072;
const CHECKSUM_BYTES = 4;
const DICTIONARY_ID_BYTES = [0, 1, 2, 4];

/** The header of a frame. */
type Head = { bytes: number; windowBytes: number; checksum: boolean };

const contentSizeAt = (frame: Buffer, at: number, bytes: number): number => {
  if (bytes === 0) return 0;
  if (bytes === 8) return Number(frame.readBigUInt64LE(at));
  return frame.readUIntLE(at, bytes) + (bytes === 2 ? 256 : 0);
};

const headOf = (frame: Buffer): Head => {
  const flags = frame.readUInt8(4);
  const isWhole = (flags & 0x20) !== 0;
  const windowAt = 5;
  const dictionaryAt = windowAt + (isWhole ? 0 : 1);
  const dictionaryBytes = DICTIONARY_ID_BYTES[flags & 3] ?? 0;
  if (dictionaryBytes > 0 && frame.readUIntLE(dictionaryAt, dictionaryBytes) > 0)
    throw new Error("it needs a dictionary");
  const sizeAt = dictionaryAt + dictionaryBytes;
  const sizeBytes = flags >> 6 === 0 ? Number(isWhole) : 1 << (flags >> 6);
  const contentBytes = contentSizeAt(frame, sizeAt, sizeBytes);
  const head = { bytes: sizeAt + sizeBytes, checksum: (flags & 4) !== 0 };
  if (isWhole) return { ...head, windowBytes: contentBytes };
  const descriptor = frame.readUInt8(windowAt);
  const base = 2 ** (10 + (descriptor >> 3));
  return { ...head, windowBytes: Math.max(contentBytes, base + (base / 8) * (descriptor & 7)) };
};

/**
 * The length of a frame and the largest size that it can decompress to, read from its block headers. fzstd
 * has no limit of its own.
 */
const measure = (frame: Buffer): { frameBytes: number; most: number; windowBytes: number } => {
  const magic = frame.readUInt32LE(0);
  if ((magic & 0xfffffff0) >>> 0 === SKIPPABLE_MAGIC)
    return { frameBytes: 8 + frame.readUInt32LE(4), most: 0, windowBytes: 0 };
  if (magic !== MAGIC) throw new Error("not a Zstandard frame");
  const { bytes, windowBytes, checksum } = headOf(frame);
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
  return { frameBytes: at + (checksum ? CHECKSUM_BYTES : 0), most, windowBytes };
};

/**
 * Decompresses consecutive Zstandard frames. Their checksums are not verified. (Node.js 20 has no zstd. Once
 * it need not be supported, `zstdDecompress` of `node:zlib`, with its `maxOutputLength`, can replace this
 * file and fzstd.)
 * @throws when the data is corrupt, might decompress to more than `maxBytes`, or needs a larger window
 */
export const decompressZstd = (data: Buffer, maxBytes: number): Buffer => {
  let most = 0;
  for (let at = 0; at < data.length;) {
    const frame = measure(data.subarray(at));
    most += frame.most;
    if (Math.max(most, frame.windowBytes) > maxBytes)
      throw new Error(`it may become ${Math.max(most, frame.windowBytes)} bytes`);
    at += frame.frameBytes;
    if (at > data.length) throw new Error("a frame is cut off");
  }
  const bytes = decompress(data);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
};
