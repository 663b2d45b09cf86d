import type { Incoming } from "../record.ts";

/** Memory of a waiting record besides key, value and headers: objects, Buffers, its place in the queue of its key. */
const OVERHEAD_BYTES = 1_024;

/** Copies outside of Node's Buffer pool, of which one small record would keep 8 KiB alive. */
const copyOf = (bytes: Buffer): Buffer => {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
};

/** Copies a record: as read it is a slice of the whole fetch, and would keep hundreds of megabytes alive. */
export const ownCopy = (record: Incoming): Incoming => ({
  ...record,
  key: record.key && copyOf(record.key),
  value: record.value && copyOf(record.value),
  headers: { count: record.headers.count, bytes: copyOf(record.headers.bytes) },
});

export const recordBytes = ({ key, value, headers }: Incoming): number =>
  OVERHEAD_BYTES + (key?.length ?? 0) + (value?.length ?? 0) + headers.bytes.length;
