/*
 * kafkajs 2.2.4 decompresses all batches of a fetch before it delivers the first one: batches that are small on the
 * wire may take all memory. Mended when fetch-budget.test.ts passes without `checkBudget`.
 */
/**
 * kafkajs takes an error of this name for a batch that the broker has truncated: it delivers the batches before it, and
 * the next fetch begins with it.
 */
export class LeftToNextFetch extends Error {
  override readonly name = "KafkaJSPartialMessageError";
  constructor(options?: ErrorOptions) {
    super("left to the next fetch", options);
  }
}

/**
 * Once the batches of a fetch have this size decompressed, the others are left to the next fetch. The last batch may
 * exceed it, so that one fetch takes at most 16 MiB + 64 MiB + 100,000 records of 512 bytes, which is below 130 MiB. A
 * consumer has one fetch under way per broker.
 */
const MAX_FETCH_BYTES = 16 * 1024 * 1024;
/** Memory of a record besides its bytes: kafkajs's object, two Buffers, strings for offset and timestamp, headers. */
const RECORD_OVERHEAD_BYTES = 512;

/**
 * Decompressed bytes by fetch. kafkajs decompresses all batches of a fetch before it delivers the first one. All
 * batches of a fetch are views of one buffer, which identifies the fetch. (Two small fetches may share a buffer: then
 * the second one may be fetched again.)
 */
const decompressedBytes = new WeakMap<ArrayBufferLike, number>();

/** @throws when the fetch has used up its budget; the first batch of a fetch always passes */
export const checkBudget = (batch: Buffer): void => {
  if ((decompressedBytes.get(batch.buffer) ?? 0) >= MAX_FETCH_BYTES) throw new LeftToNextFetch();
};

export const addToBudget = (batch: Buffer, { bytes, records }: { bytes: number; records: number }): void => {
  decompressedBytes.set(
    batch.buffer,
    (decompressedBytes.get(batch.buffer) ?? 0) + bytes + records * RECORD_OVERHEAD_BYTES,
  );
};
