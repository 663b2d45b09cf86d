import type { Incoming } from "../record.ts";

/** A stretch of a partition, as it was fetched. */
export type BatchPosition = {
  /** The offset that was asked for; of a stretch without records, the first one that stands there. */
  from: number;
  /** The offset to read next, also where no record stands before it. */
  next: number;
  /** False: what was read here is read again, by another consumer or from another offset. */
  isCurrent: () => boolean;
};

/** What reading leads to. Called in order; must be quick, for kafkajs heartbeats between the calls. */
export type ReaderHooks = {
  /** A new assignment stands; no record of it was delivered yet. Gives the offsets to read from where they are known better than by the group's commits. */
  assigned: (partitions: readonly number[]) => ReadonlyMap<number, number>;
  /** Where nothing but ends of transactions and the like was fetched, there are no records. Nothing more is read before a promise is fulfilled. */
  read: (partition: number, records: readonly Incoming[], stretch: BatchPosition) => void | Promise<void>;
  /** Reading goes on after a fetch that failed. */
  fetchesAgain?: () => void;
};
