import type { Incoming } from "../record.ts";

/** What a record takes besides its key, value and headers while it waits: objects, Buffers, and its place in the order of its key. */
const OVERHEAD_BYTES = 1_024;

/** Not from Node's pool, of which one record would keep eight kilobytes. */
const copyOf = (bytes: Buffer): Buffer => {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
};

/**
 * The record in memory of its own. As it was read it is a window on everything that was fetched and decompressed with it, up to some hundred
 * megabytes, which a single record that waits would keep.
 */
export const ownCopy = (record: Incoming): Incoming => ({
  ...record,
  key: record.key && copyOf(record.key),
  value: record.value && copyOf(record.value),
  headers: { count: record.headers.count, bytes: copyOf(record.headers.bytes) },
});

/** What the record takes while it waits. */
export const sizeOf = ({ key, value, headers }: Incoming): number =>
  OVERHEAD_BYTES + (key?.length ?? 0) + (value?.length ?? 0) + headers.bytes.length;
