/*
 * kafkajs 2.2.4 does not look at the checksums of record batches: a bit that a disk has flipped would be taken for
 * another amount, or another quote. Where one batch cannot be read it delivers nothing of the fetch, also not what
 * lies before, nor the other partitions. And it decompresses all batches of a fetch before it delivers the first one:
 * batches that are small on the wire may take all memory. Mended when "checked-batches.ts" in faults.test.ts fails.
 */
import { messageOf } from "../../runtime/errors.ts";
import { crc32c } from "../crc32c.ts";
import { replaceModule } from "./replace-module.ts";
import type { decodeRecord } from "./whole-headers.ts";

/** kafkajs's decoder of protocol types, at the beginning of a record batch. */
type Decoder = { readonly buffer: Buffer; readonly offset: number };
type Batch = { readonly records: readonly ReturnType<typeof decodeRecord>[] };
type DecodeBatch = (decoder: Decoder) => Promise<Batch>;
/** The records that a fetch returned of one partition. */
type DecodeMessages = (decoder: unknown) => Promise<readonly object[]>;

/** The modules that keep a reference to the decoder of records. */
const FETCH_RESPONSES = [4, 5, 7, 8, 9, 11].map((version) => `requests/fetch/v${version}/response`);

/** Where the fields of a batch stand. The checksum covers everything after it. */
const LENGTH_AT = 8;
const AFTER_LENGTH = 12;
const CHECKSUM_AT = 17;
const AFTER_CHECKSUM = 21;
const COUNT_AT = 57;
const AFTER_COUNT = 61;

/** kafkajs passes all records of a batch as arguments of one call, which overflows the stack at about 120,000. */
const MAX_BATCH_RECORDS = 100_000;
/**
 * Once the batches of a fetch take so much, the others are left to the next fetch. The last one may exceed it: at most
 * 16 MiB + 64 MiB + 100,000 records of 512 bytes, which is below 130 MiB, per broker.
 */
const MAX_FETCH_BYTES = 16 * 1024 * 1024;
/** Memory of a record besides its bytes: kafkajs's object, two Buffers, strings for offset and timestamp, headers. */
const RECORD_OVERHEAD_BYTES = 512;

/** A record batch cannot be read: it is corrupt, or would take too much memory. A retry rarely helps. */
export class BatchError extends Error {
  override readonly name = "BatchError";
}

/** By what kafkajs decoded of a partition: why its first batch cannot be read. */
const unreadable = new WeakMap<object, BatchError>();

/** Why the first batch cannot be read that a fetch returned of a partition; null where it was read. */
export const unreadableBatchOf = (messages: object): BatchError | null => unreadable.get(messages) ?? null;

/**
 * kafkajs takes an error of this name for a batch that is cut off: it delivers those before, and fetches this one
 * next.
 */
class LeftToNextFetch extends Error {
  override readonly name = "KafkaJSPartialMessageError";
}

const endOf = (batch: Buffer): number => AFTER_LENGTH + batch.readInt32BE(LENGTH_AT);

/** Names a batch, so that an operator can find or skip it. */
const nameOf = (batch: Buffer): string => {
  const count = batch.length < AFTER_COUNT ? "some" : batch.readInt32BE(COUNT_AT);
  return `a batch of ${endOf(batch)} bytes at offset ${batch.readBigInt64BE(0)}, ${count} records,`;
};

/** Compares a batch with its checksum. One that is cut off at the end of a fetch is not looked at. */
const check = (batch: Buffer, isFirst: boolean): void => {
  const end = endOf(batch);
  const isCut = end > batch.length;
  // A broker sends the first one whole or not at all.
  if (isCut && !isFirst) return;
  if (isCut || end < AFTER_COUNT)
    throw new BatchError(`is corrupt: its length is wrong, ${batch.length} bytes came`);
  if (crc32c(batch.subarray(AFTER_CHECKSUM, end)) !== batch.readUInt32BE(CHECKSUM_AT))
    throw new BatchError("is corrupt: its checksum does not match");
  if (batch.readInt32BE(COUNT_AT) > MAX_BATCH_RECORDS)
    throw new BatchError(`cannot be read: it has more than ${MAX_BATCH_RECORDS} records`);
};

const memoryOf = ({ records }: Batch): number =>
  records.reduce(
    (sum, { key, value, headers }) =>
      sum + RECORD_OVERHEAD_BYTES + (key?.length ?? 0) + (value?.length ?? 0) + headers.bytes.length,
    0,
  );

/**
 * Decodes a batch after a look at its checksum. An error would fail the whole fetch: once that has records, the batch
 * is left to the next one, which begins with it. (A fetch without any record would be repeated as it was.)
 */
const checked = (decode: DecodeBatch): DecodeBatch => {
  /** kafkajs has one decoder for all batches that a fetch returned of a partition. */
  const haveRecords = new WeakSet<Decoder>();
  /** By fetch, whose batches are views of one buffer. (Two small fetches may share it: one may be read again.) */
  const takenBytes = new WeakMap<ArrayBufferLike, number>();
  return async (decoder) => {
    const bytes = decoder.buffer.subarray(decoder.offset);
    const takenOf = (): number => takenBytes.get(bytes.buffer) ?? 0;
    if (takenOf() >= MAX_FETCH_BYTES) throw new LeftToNextFetch("left to the next fetch");
    try {
      check(bytes, decoder.offset === 0);
      const batch = await decode(decoder);
      takenBytes.set(bytes.buffer, takenOf() + memoryOf(batch));
      if (batch.records.length > 0) haveRecords.add(decoder);
      return batch;
    } catch (error) {
      if (haveRecords.has(decoder)) throw new LeftToNextFetch("left to the next fetch", { cause: error });
      // kafkajs's own, for a batch that is cut off at the end of the fetch.
      if (error instanceof Error && error.name === "KafkaJSPartialMessageError") throw error;
      const why = error instanceof BatchError ? error.message : `cannot be decoded: ${messageOf(error)}`;
      throw new BatchError(`${nameOf(bytes)} ${why}`, { cause: error });
    }
  };
};

/** A batch that cannot be read costs its own partition only: see {@link unreadableBatchOf}. */
const apart =
  (decode: DecodeMessages): DecodeMessages =>
  async (decoder) => {
    try {
      return await decode(decoder);
    } catch (error) {
      if (!(error instanceof BatchError)) throw error;
      const nothing: object[] = [];
      unreadable.set(nothing, error);
      return nothing;
    }
  };

/** Makes kafkajs compare batches with their checksums, and deliver what it can read beside one that it cannot. */
export const checkBatches = (): void => {
  replaceModule<DecodeBatch>("recordBatch/v0/decoder", ["requests/fetch/v4/decodeMessages"], checked);
  replaceModule<DecodeMessages>("requests/fetch/v4/decodeMessages", FETCH_RESPONSES, apart);
};
