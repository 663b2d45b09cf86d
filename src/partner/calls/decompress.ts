import { pipeline, Readable, type Duplex } from "node:stream";
import { constants, createBrotliDecompress, createUnzip } from "node:zlib";

/** `isCut`: the data may end anywhere. */
type MakeDecompressor = (isCut: boolean) => Duplex;

const unzip: MakeDecompressor = (isCut) =>
  createUnzip({ finishFlush: isCut ? constants.Z_SYNC_FLUSH : constants.Z_FINISH });
const brotli: MakeDecompressor = (isCut) =>
  createBrotliDecompress({
    finishFlush: isCut ? constants.BROTLI_OPERATION_FLUSH : constants.BROTLI_OPERATION_FINISH,
  });

const DECOMPRESSORS: ReadonlyMap<string, MakeDecompressor> = new Map([
  ["gzip", unzip],
  ["x-gzip", unzip],
  ["deflate", unzip],
  ["br", brotli],
]);

/**
 * Undoes the content encoding of a body as it is read. None is requested, but a gateway may compress anyway.
 * Throws at once on an unknown encoding, and while reading if the data is malformed, or truncated unless `isCut`.
 */
export const decompressed = (
  chunks: AsyncIterable<Uint8Array>,
  encoding: string,
  isCut = false,
): AsyncIterable<Uint8Array> => {
  const name = encoding.trim().toLowerCase();
  if (name === "" || name === "identity") return chunks;
  const decompressor = DECOMPRESSORS.get(name)?.(isCut);
  if (!decompressor) throw new Error(`the answer comes in an encoding that was not requested: ${name}`);
  // pipeline passes an error of either stream on to the reader.
  return pipeline(Readable.from(chunks, { objectMode: false }), decompressor, () => undefined);
};
