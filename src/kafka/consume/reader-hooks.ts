import type { Incoming } from "../record.ts";

/** The position of a fetched batch in its partition. */
export type BatchPosition = {
  /** The offset that was requested; for a batch without records, its first offset. */
  from: number;
  /** The offset to read next. There may be no record right before it. */
  next: number;
  /** Whether all offsets from `start` to before `end` are transaction markers or aborted records. */
  isHidden: (start: number, end: number) => boolean;
  /** False: this range will be read again, by another consumer or after a seek. */
  isCurrent: () => boolean;
};

/** Callbacks of a reader, called in order. They must be quick: kafkajs heartbeats between the calls. */
export type ReaderHooks = {
  /**
   * After a rebalance, before any record of the new assignment. Gives the offsets to read from; other
   * partitions start at the group's commits.
   */
  assigned: (partitions: readonly number[]) => ReadonlyMap<number, number>;
  /**
   * A batch of control records has no records here. The next batch is delivered when the promise is
   * fulfilled.
   */
  read: (partition: number, records: readonly Incoming[], position: BatchPosition) => void | Promise<void>;
  /** A fetch has failed, and kafkajs fetches again. */
  fetchesAgain?: () => void;
};
