import type { PendingRecord } from "./pending-record.ts";

/** Bounds the latency that a batch adds to its first record. */
export const MAX_BATCH_RECORDS = 1_000;
/** Below the 1 MB that brokers accept by default. */
const MAX_BATCH_BYTES = 768 * 1024;

/**
 * The ordered queue of records for one partition leader, and the one produce request that may be under way to
 * it.
 */
export class Lane {
  readonly leader: number;
  /** The batch under way; `giveUp` stops waiting for it; `since` is in monotonic milliseconds. */
  sending: { batch: readonly PendingRecord[]; giveUp: (reason: Error) => void; since: number } | null = null;
  /**
   * Lower than MAX_BATCH_RECORDS after the topic has refused a batch as too large. (A refused batch may be
   * written in part.)
   */
  maxBatchRecords = MAX_BATCH_RECORDS;
  /** A drain of the queue is under way or scheduled. */
  isSending = false;
  #queue: PendingRecord[] = [];

  constructor(leader: number) {
    this.leader = leader;
  }

  push(item: PendingRecord): void {
    this.#queue.push(item);
  }

  /** All records that are queued or being sent, including settled ones. */
  items(): PendingRecord[] {
    return [...(this.sending?.batch ?? []), ...this.#queue];
  }

  /** The next batch, without settled records. At least one record if there is any, however large. */
  take(maxRecords = this.maxBatchRecords): PendingRecord[] {
    const batch: PendingRecord[] = [];
    let bytes = 0;
    let taken = 0;
    for (const item of this.#queue) {
      if (batch.length === maxRecords || (batch.length > 0 && bytes + item.bytes > MAX_BATCH_BYTES)) break;
      taken += 1;
      if (item.isSettled) continue;
      batch.push(item);
      bytes += item.bytes;
    }
    this.#queue.splice(0, taken);
    return batch;
  }

  /** Puts a batch that was not acknowledged back at the head of the queue. */
  giveBack(batch: readonly PendingRecord[]): void {
    this.#queue.unshift(...batch);
    this.dropSettled();
  }

  dropSettled(): void {
    this.#queue = this.#queue.filter((item) => !item.isSettled);
  }

  /** Empties the queue. */
  takeAll(): PendingRecord[] {
    return this.#queue.splice(0).filter((item) => !item.isSettled);
  }
}
