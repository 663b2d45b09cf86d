import type { Waiting } from "./waiting.ts";

/** Enough for the pace of any one process, little enough that the first of a batch need not wait long for the last. */
export const MAX_BATCH_RECORDS = 1_000;
/** Below the 1 MB that a broker takes by default. */
const MAX_BATCH_BYTES = 768 * 1024;

/** The records that one partition leader is to get, oldest first, and the one send that may be under way to it. */
export class Lane {
  readonly leader: number;
  /** The batch under way, how to stop waiting for it, and since when it is under way (monotonic milliseconds). */
  sending: { batch: readonly Waiting[]; giveUp: (reason: Error) => void; since: number } | null = null;
  /** Records in a batch at most. Less than usual where the topic takes only small ones: a batch that is refused may be written in part. */
  bound = MAX_BATCH_RECORDS;
  /** A drain is running or about to. */
  busy = false;
  #items: Waiting[] = [];
  #head = 0;

  constructor(leader: number) {
    this.leader = leader;
  }

  push(item: Waiting): void {
    this.#items.push(item);
  }

  /** All that is queued or being sent, settled ones among them. */
  items(): Waiting[] {
    return [...(this.sending?.batch ?? []), ...this.#items.slice(this.#head)];
  }

  /** The next batch, without what was settled meanwhile. One record at least where there is one, however large. */
  take(maxRecords = this.bound): Waiting[] {
    const batch: Waiting[] = [];
    let bytes = 0;
    while (this.#head < this.#items.length && batch.length < maxRecords) {
      const item = this.#items[this.#head];
      if (item && !item.isSettled) {
        if (batch.length > 0 && bytes + item.bytes > MAX_BATCH_BYTES) break;
        batch.push(item);
        bytes += item.bytes;
      }
      this.#head += 1;
    }
    // Taken ones are cut off now and then: doing it each time would copy a long queue over and over during an outage.
    if (this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return batch;
  }

  /** Puts a batch that was not acknowledged in front of what came later. */
  giveBack(batch: readonly Waiting[]): void {
    this.#items = [...batch.filter((item) => !item.isSettled), ...this.drain()];
  }

  /** Lets go of what was settled meanwhile. */
  forget(): void {
    this.#items = this.drain();
  }

  /** Empties the queue. */
  drain(): Waiting[] {
    const items = this.#items.slice(this.#head).filter((item) => !item.isSettled);
    this.#items = [];
    this.#head = 0;
    return items;
  }
}
