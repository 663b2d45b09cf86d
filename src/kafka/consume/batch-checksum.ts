import { crc32c } from "../crc32c.ts";
import { replaceModule } from "../replace-module.ts";

/** kafkajs's decoder of protocol types, at the beginning of a record batch. */
type Decoder = { readonly buffer: Buffer; readonly offset: number };
type DecodeBatch = (decoder: Decoder) => Promise<unknown>;

/** Where the fields of a batch stand. The checksum covers everything after it. */
const LENGTH_AT = 8;
const AFTER_LENGTH = 12;
const CHECKSUM_AT = 17;
const AFTER_CHECKSUM = 21;
const COUNT_AT = 57;

/** The bytes of a record batch were changed after its producer had sent it. A retry rarely helps. */
export class CorruptBatchError extends Error {
  override readonly name = "CorruptBatchError";
}

/**
 * Compares a batch with its checksum. The last batch of a fetch may be cut off, and is not looked at then.
 * @see https://kafka.apache.org/documentation/#recordbatch
 * @throws CorruptBatchError
 */
export const checkBatch = ({ buffer, offset }: Decoder): void => {
  const batch = buffer.subarray(offset);
  const end = AFTER_LENGTH + batch.readInt32BE(LENGTH_AT);
  if (end > batch.length) return;
  if (end > COUNT_AT && crc32c(batch.subarray(AFTER_CHECKSUM, end)) === batch.readUInt32BE(CHECKSUM_AT))
    return;
  // Worded as for a batch that cannot be decompressed: docs/unreadable-batch.md is for both.
  const place = `at offset ${batch.readBigInt64BE(0)}, ${batch.readInt32BE(COUNT_AT)} records,`;
  throw new CorruptBatchError(`a batch of ${end} bytes ${place} is corrupt: its checksum does not match`);
};

let done = false;

/**
 * Makes kafkajs compare record batches with their checksums, as Kafka's Java client does. Otherwise a bit that a disk
 * has flipped would be taken for another amount, or another quote.
 */
export const checkChecksums = (): void => {
  if (done) return;
  replaceModule<DecodeBatch>(
    "recordBatch/v0/decoder",
    ["requests/fetch/v4/decodeMessages"],
    (decode) => async (decoder) => {
      checkBatch(decoder);
      return decode(decoder);
    },
  );
  done = true;
};
