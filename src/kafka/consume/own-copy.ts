import type { Headers, Incoming } from "../record.ts";

/** What a record takes besides its key, value and headers while it waits: objects, Buffers, and its place in the order of its key. */
const OVERHEAD_BYTES = 1_024;

/** Not from Node's pool, of which one record would keep eight kilobytes. */
const copyOf = (bytes: Buffer): Buffer => {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
};

type HeaderValue = Headers[string];

const copyOfHeader = (value: HeaderValue): HeaderValue => {
  if (Array.isArray(value)) return value.map((each) => (Buffer.isBuffer(each) ? copyOf(each) : each));
  return Buffer.isBuffer(value) ? copyOf(value) : value;
};

/**
 * The record in memory of its own. As it was read it is a window on everything that was fetched and decompressed with it, up to some hundred
 * megabytes, which a single record that waits would keep.
 */
export const ownCopy = (record: Incoming): Incoming => ({
  ...record,
  key: record.key && copyOf(record.key),
  value: record.value && copyOf(record.value),
  headers: Object.fromEntries(
    Object.entries(record.headers).map(([name, value]) => [name, copyOfHeader(value)]),
  ),
});

const sizeOfHeader = (value: HeaderValue): number =>
  Array.isArray(value) ? value.reduce((sum, each) => sum + each.length, 0) : (value?.length ?? 0);

/** What the record takes while it waits. */
export const sizeOf = ({ key, value, headers }: Incoming): number =>
  Object.entries(headers).reduce(
    (sum, [name, header]) => sum + name.length + sizeOfHeader(header),
    OVERHEAD_BYTES + (key?.length ?? 0) + (value?.length ?? 0),
  );
