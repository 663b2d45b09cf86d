import { pipeline, Readable, type Duplex } from "node:stream";
import { createBrotliDecompress, createUnzip } from "node:zlib";

const UNPACKERS: Readonly<Record<string, () => Duplex>> = {
  gzip: createUnzip,
  "x-gzip": createUnzip,
  deflate: createUnzip,
  br: createBrotliDecompress,
};

const MAX_ENCODINGS = 2;

/**
 * Undoes the encodings of a body as it is read. None is asked for, but a gateway may not care. Throws at once on one that is not known,
 * and while reading on what breaks off or is no such encoding.
 */
export const unpacked = (
  chunks: AsyncIterable<Uint8Array>,
  contentEncoding: string,
): AsyncIterable<Uint8Array> => {
  const encodings = contentEncoding
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  if (encodings.length > MAX_ENCODINGS)
    throw new Error(`the answer comes in more than ${MAX_ENCODINGS} encodings that nobody asked for`);
  return encodings.reduceRight((packed, name) => {
    const unpacker = UNPACKERS[name]?.();
    if (!unpacker) throw new Error(`the answer comes in an encoding that nobody asked for: ${name}`);
    // An error of either ends up in both, and so with the reader.
    return pipeline(Readable.from(packed, { objectMode: false }), unpacker, () => undefined);
  }, chunks);
};
