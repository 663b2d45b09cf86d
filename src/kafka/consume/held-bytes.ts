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
