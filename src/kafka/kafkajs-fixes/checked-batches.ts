/*
 * kafkajs 2.2.4 does not look at the checksums of record batches: a bit that a disk has flipped would be taken for
 * another amount, or another quote. Where one batch cannot be read it delivers nothing of the fetch, also not what
 * lies before. Mended when "checked-batches.ts" in faults.test.ts fails.
 */
import { LeftToNextFetch } from "./fetch-budget.ts";
import { crc32c } from "../crc32c.ts";
import { replaceModule } from "./replace-module.ts";

/** kafkajs's decoder of protocol types, at the beginning of a record batch. */
type Decoder = { readonly buffer: Buffer; readonly offset: number };
type DecodeBatch = (decoder: Decoder) => Promise<{ readonly records: readonly unknown[] }>;

/** Where the fields of a batch stand. The checksum covers everything after it. */
const LENGTH_AT = 8;
const AFTER_LENGTH = 12;
const CHECKSUM_AT = 17;
const AFTER_CHECKSUM = 21;
const COUNT_AT = 57;
const AFTER_COUNT = 61;

/** The bytes of a record batch were changed after its producer had sent it. A retry rarely helps. */
export class CorruptBatchError extends Error {
  override readonly name = "CorruptBatchError";
}

/**
 * Compares a batch with its checksum. One that is cut off at the end of a fetch is not looked at; where it is the first
 * one, which a broker sends whole or not at all, its length is wrong.
 * @throws CorruptBatchError
 */
export const checkBatch = ({ buffer, offset }: Decoder): void => {
  const batch = buffer.subarray(offset);
  const end = AFTER_LENGTH + batch.readInt32BE(LENGTH_AT);
  const isCut = end > batch.length;
  if (isCut && offset > 0) return;
  const isWhole = !isCut && end >= AFTER_COUNT;
  if (isWhole && crc32c(batch.subarray(AFTER_CHECKSUM, end)) === batch.readUInt32BE(CHECKSUM_AT)) return;
  // Worded as for a batch that cannot be decompressed: docs/failures.md is for both.
  const count = batch.length < AFTER_COUNT ? "some" : batch.readInt32BE(COUNT_AT);
  const place = `a batch of ${end} bytes at offset ${batch.readBigInt64BE(0)}, ${count} records,`;
  const fault = isWhole ? "its checksum does not match" : `its length is wrong, ${batch.length} bytes came`;
  throw new CorruptBatchError(`${place} is corrupt: ${fault}`);
};

/**
 * Decodes a batch after a look at its checksum. An error would fail the whole fetch: once that has records, the batch
 * is left to the next one, which begins with it. (A fetch without any record would be repeated as it was.)
 */
const checked = (decode: DecodeBatch): DecodeBatch => {
  /** kafkajs has one decoder for all batches that a fetch returned of a partition. */
  const haveRecords = new WeakSet<Decoder>();
  return async (decoder) => {
    try {
      checkBatch(decoder);
      const batch = await decode(decoder);
      if (batch.records.length > 0) haveRecords.add(decoder);
      return batch;
    } catch (error) {
      throw haveRecords.has(decoder) ? new LeftToNextFetch({ cause: error }) : error;
    }
  };
};

/** Makes kafkajs compare batches with their checksums, and deliver what lies before one that cannot be read. */
export const checkBatches = (): void => {
  replaceModule<DecodeBatch>("recordBatch/v0/decoder", ["requests/fetch/v4/decodeMessages"], checked);
};
