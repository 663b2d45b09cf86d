import { uncompress } from "snappyjs";

/**
 * The header that snappy-java, and so every Java producer, writes before its blocks. librdkafka writes one bare block.
 */
const JAVA_MAGIC = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00]);
/** Magic and two version numbers. */
const JAVA_HEAD_BYTES = 16;

/**
 * Decompresses a bare snappy block, or the framed blocks of snappy-java.
 * @throws when the data is broken or would become larger than `maxBytes`
 */
export const decompressSnappy = (data: Buffer, maxBytes: number): Buffer => {
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
