import { pipeline, Readable, type Duplex } from "node:stream";
import { createBrotliDecompress, createUnzip } from "node:zlib";

const DECOMPRESSORS: Readonly<Record<string, () => Duplex>> = {
  gzip: createUnzip,
  "x-gzip": createUnzip,
  deflate: createUnzip,
  br: createBrotliDecompress,
};

const MAX_ENCODINGS = 2;

/**
 * Undoes the content encodings of a body as it is read. None is requested, but a gateway may compress anyway.
 * Throws at once on an unknown encoding, and while reading if the data is truncated or malformed.
 */
export const decompressed = (
  chunks: AsyncIterable<Uint8Array>,
  contentEncoding: string,
): AsyncIterable<Uint8Array> => {
  const encodings = contentEncoding
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  if (encodings.length > MAX_ENCODINGS)
    throw new Error(`the answer comes in more than ${MAX_ENCODINGS} encodings that were not requested`);
  return encodings.reduceRight((packed, name) => {
    const decompressor = DECOMPRESSORS[name]?.();
    if (!decompressor) throw new Error(`the answer comes in an encoding that was not requested: ${name}`);
    // pipeline passes an error of either stream on to the reader.
    return pipeline(Readable.from(packed, { objectMode: false }), decompressor, () => undefined);
  }, chunks);
};
