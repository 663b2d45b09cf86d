/**
 * kafkajs takes an error of this name for a batch that the broker has cut off in its middle: it hands over what stands before it, and the
 * next fetch begins with it.
 */
class BudgetExceeded extends Error {
  override readonly name = "KafkaJSPartialMessageError";
}

/**
 * A fetch in which batches have become as large as this leaves the others to the next one. With the batch that reaches it, the most that
 * the answer of one broker becomes is 16 MiB + 64 MiB + 100,000 records of 512 bytes, which is below 130 MiB; and a consumer has one fetch
 * under way with each broker.
 */
const MAX_FETCH_BYTES = 16 * 1024 * 1024;
/** What kafkajs makes of a record besides its bytes: the object, two Buffers, texts for offset and time, headers. */
const RECORD_OVERHEAD_BYTES = 512;

/**
 * kafkajs decompresses all batches of a fetch before it hands over the first one. A batch only knows the buffer that it is a window on, and
 * that buffer holds the answer to one fetch. (Two small answers may share one: then the second is fetched once more, into another.)
 */
const decompressedBytes = new WeakMap<ArrayBufferLike, number>();

/** @throws when the fetch has become large enough without this batch; the first batch of a fetch is always let in */
export const checkBudget = (batch: Buffer): void => {
  if ((decompressedBytes.get(batch.buffer) ?? 0) >= MAX_FETCH_BYTES)
    throw new BudgetExceeded("left to the next fetch");
};

export const addToBudget = (batch: Buffer, { bytes, records }: { bytes: number; records: number }): void => {
  decompressedBytes.set(
    batch.buffer,
    (decompressedBytes.get(batch.buffer) ?? 0) + bytes + records * RECORD_OVERHEAD_BYTES,
  );
};
