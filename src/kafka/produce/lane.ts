import type { PendingRecord } from "./pending-record.ts";

/** Limits how long the first record of a batch waits for the last one. */
export const MAX_BATCH_RECORDS = 1_000;
/** Below the 1 MB that a broker takes by default. */
const MAX_BATCH_BYTES = 768 * 1024;

/** The records that one partition leader is to get, oldest first, and the one send that may be under way to it. */
export class Lane {
  readonly leader: number;
  /** The batch under way, how to stop waiting for it, and since when it is under way (monotonic milliseconds). */
  sending: { batch: readonly PendingRecord[]; giveUp: (reason: Error) => void; since: number } | null = null;
  /** Records in a batch at most. Less than usual where the topic takes only small ones: a batch that is refused may be written in part. */
  maxBatchRecords = MAX_BATCH_RECORDS;
  /** Batches are being sent, or are about to be. */
  isSending = false;
  #queue: PendingRecord[] = [];

  constructor(leader: number) {
    this.leader = leader;
  }

  push(item: PendingRecord): void {
    this.#queue.push(item);
  }

  /** All that is queued or being sent, settled ones among them. */
  items(): PendingRecord[] {
    return [...(this.sending?.batch ?? []), ...this.#queue];
  }

  /** The next batch, without what was settled meanwhile. One record at least where there is one, however large. */
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

  /** Puts a batch that was not acknowledged in front of what came later. */
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
