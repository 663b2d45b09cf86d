import type { Incoming } from "../record.ts";

/** Memory of a waiting record besides key, value and headers: objects, Buffers, its place in the queue of its key. */
const OVERHEAD_BYTES = 1_024;

/** Not from Node's Buffer pool: one small record would keep 8 KiB of it alive. */
const copyOf = (bytes: Buffer): Buffer => {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
};

/**
 * Copies the record into memory of its own. As read, it is a slice of the whole decompressed fetch: one waiting record
 * would keep up to some hundred megabytes alive.
 */
export const ownCopy = (record: Incoming): Incoming => ({
  ...record,
  key: record.key && copyOf(record.key),
  value: record.value && copyOf(record.value),
  headers: { count: record.headers.count, bytes: copyOf(record.headers.bytes) },
});

/** Bytes that the record takes while it waits. */
export const sizeOf = ({ key, value, headers }: Incoming): number =>
  OVERHEAD_BYTES + (key?.length ?? 0) + (value?.length ?? 0) + headers.bytes.length;

/**
 * Bounds the bytes of unfinished records. Each partition has an equal share, so that a full one stops only itself.
 * Records of a revoked partition count until they are finished.
 */
export type HeldBytes = {
  add(partition: number, bytes: number): void;
  remove(partition: number, bytes: number): void;
  /** The partition has used up its share: take no more records of it. */
  isFull(partition: number): boolean;
  /** Half of its share is free: fetch again. */
  hasRoom(partition: number): boolean;
};

/** @param partitions how many partitions share the bytes now */
export const heldBytes = (maxBytes: number, partitions: () => number): HeldBytes => {
  const held = new Map<number, number>();
  const of = (partition: number): number => held.get(partition) ?? 0;
  const share = (): number => maxBytes / Math.max(1, partitions());
  return {
    add: (partition, bytes) => held.set(partition, of(partition) + bytes),
    remove: (partition, bytes) => {
      const left = of(partition) - bytes;
      if (left > 0) held.set(partition, left);
      else held.delete(partition);
    },
    isFull: (partition) => of(partition) >= share(),
    hasRoom: (partition) => of(partition) < share() / 2,
  };
};
