import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { HEADER_BYTES, withChecksum } from "./record-batch.ts";

/** Attributes: compressed with gzip, create time, no transaction. */
const GZIP = 1;
const compress = promisify(gzip);

/** Compresses the records of a batch; gives the batch unchanged when that does not make it smaller. */
export const gzipBatch = async (batch: Buffer): Promise<Buffer> => {
  const records = await compress(batch.subarray(HEADER_BYTES));
  return HEADER_BYTES + records.length < batch.length
    ? withChecksum(Buffer.concat([batch.subarray(0, HEADER_BYTES), records]), GZIP)
    : batch;
};
