import lz4 from "lz4js";

const MAGIC = 0x184d2204;
const FLAG = { version: 0xc0, blockChecksum: 0x10, contentSize: 0x08, dictionary: 0x01 };
const VERSION = 0x40;
const CHECKSUM_BYTES = 4;
/** The high bit of a block's size: the block is not compressed. */
const STORED = 0x80000000;
/** The format's highest possible compression ratio. */
const MAX_RATIO = 255;

type Block = { at: number; bytes: number; stored: boolean; maxBytes: number };

/**
 * Finds the blocks of a frame. lz4js itself misplaces the checksums of blocks and does not validate their sizes. The
 * checksum of the header is not verified: old Kafka clients computed it wrongly.
 */
const blocksOf = (frame: Buffer): Block[] => {
  if (frame.readUInt32LE(0) !== MAGIC) throw new Error("not an LZ4 frame");
  const flags = frame.readUInt8(4);
  if ((flags & FLAG.version) !== VERSION) throw new Error("an unknown version of the LZ4 frame format");
  if (flags & FLAG.dictionary) throw new Error("it needs a dictionary");
  const sizeCode = (frame.readUInt8(5) >> 4) & 7;
  if (sizeCode < 4) throw new Error("an unknown block size");
  const maxBytes = 1 << (8 + 2 * sizeCode);

  const blocks: Block[] = [];
  // Magic, flags, block size and header checksum.
  let at = 7 + (flags & FLAG.contentSize ? 8 : 0);
  for (;;) {
    const size = frame.readUInt32LE(at);
    if (size === 0) return blocks;
    const stored = size >= STORED;
    const bytes = stored ? size - STORED : size;
    if (bytes > maxBytes) throw new Error("a block is larger than its frame allows");
    at += 4;
    blocks.push({ at, bytes, stored, maxBytes: stored ? bytes : Math.min(maxBytes, bytes * MAX_RATIO) });
    at += bytes + (flags & FLAG.blockChecksum ? CHECKSUM_BYTES : 0);
  }
};

/**
 * Decompresses an LZ4 frame. Its checksums are not verified.
 * @throws when the data is broken or might become larger than `maxBytes`
 */
export const decompressLz4 = (frame: Buffer, maxBytes: number): Buffer => {
  const blocks = blocksOf(frame);
  const most = blocks.reduce((sum, block) => sum + block.maxBytes, 0);
  if (most > maxBytes) throw new Error(`it may become ${most} bytes`);
  const space = Buffer.alloc(most);
  let end = 0;
  for (const { at, bytes, stored, maxBytes: room } of blocks) {
    const block = frame.subarray(at, at + bytes);
    const start = end;
    if (stored) end += block.copy(space, start);
    else end = lz4.decompressBlock(block, space, 0, bytes, start);
    // A write beyond the end of a typed array is silently ignored.
    if (end - start > room) throw new Error("a block becomes larger than its frame allows");
  }
  // A copy: the records are views of this buffer and would keep the unused rest in memory.
  return Buffer.from(space.subarray(0, end));
};
