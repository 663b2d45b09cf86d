/*
 * kafkajs 2.2.4 decompresses all batches of a fetch before it delivers the first one: batches that are small on the
 * wire may take all memory. Mended when fetch-budget.test.ts passes without `checkBudget`.
 */
/**
 * kafkajs takes an error of this name for a batch that is cut off: it delivers those before, and fetches this one
 * next.
 */
export class LeftToNextFetch extends Error {
  override readonly name = "KafkaJSPartialMessageError";
  constructor(options?: ErrorOptions) {
    super("left to the next fetch", options);
  }
}

/**
 * Once the batches of a fetch have this size decompressed, the others are left to the next fetch. The last one may
 * exceed it: at most 16 MiB + 64 MiB + 100,000 records of 512 bytes, which is below 130 MiB, per broker.
 */
const MAX_FETCH_BYTES = 16 * 1024 * 1024;
/** Memory of a record besides its bytes: kafkajs's object, two Buffers, strings for offset and timestamp, headers. */
const RECORD_OVERHEAD_BYTES = 512;

/** By fetch, whose batches are views of one buffer. (Two small fetches may share it: the second may be read again.) */
const decompressedBytes = new WeakMap<ArrayBufferLike, number>();
const takenBy = (batch: Buffer): number => decompressedBytes.get(batch.buffer) ?? 0;

/** @throws when the fetch has used up its budget; the first batch of a fetch always passes */
export const checkBudget = (batch: Buffer): void => {
  if (takenBy(batch) >= MAX_FETCH_BYTES) throw new LeftToNextFetch();
};

export const addToBudget = (batch: Buffer, bytes: number, records: number): void => {
  decompressedBytes.set(batch.buffer, takenBy(batch) + bytes + records * RECORD_OVERHEAD_BYTES);
};
