import type { Outgoing, Written } from "../record.ts";
import { wireSizeOf, type PendingRecord } from "./pending-record.ts";
import { PublishError } from "./publish-error.ts";

export type BacklogOptions = {
  topic: string;
  /** Records, and their bytes, that may wait at once; beyond that they are refused as `overloaded`. */
  maxWaiting: number;
  maxWaitingBytes: number;
  /** Hears how many milliseconds each acknowledged record took from being handed over. Not of one that was given up before. */
  acknowledged?: (ms: number) => void;
};

/** Counts the records of a publisher that are not settled yet, bounds their number and bytes, and settles them. Instants are monotonic milliseconds. */
export class Backlog {
  readonly #options: BacklogOptions;
  #size = 0;
  #bytes = 0;
  #sequence = 0;

  constructor(options: BacklogOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#size;
  }

  /** Takes a record in; rejects it at once when the bound is met. */
  admit(
    record: Outgoing,
    since: number,
    deadline: number,
    resolve: (written: Written) => void,
    reject: (error: PublishError) => void,
  ): PendingRecord | null {
    const { topic, maxWaiting, maxWaitingBytes } = this.#options;
    const bytes = wireSizeOf(record);
    if (this.#size >= maxWaiting || this.#bytes + bytes > maxWaitingBytes) {
      reject(new PublishError("overloaded", `too many records wait for ${topic}`));
      return null;
    }
    const item: PendingRecord = {
      sequence: this.#sequence,
      record,
      bytes,
      since,
      deadline,
      partition: -1,
      isSettled: false,
      resolve,
      reject,
    };
    this.#sequence += 1;
    this.#size += 1;
    this.#bytes += bytes;
    return item;
  }

  /**
   * Settles a batch that was written, but for what was given up meanwhile.
   * @param first the offset of each partition's first record
   */
  written(batch: readonly PendingRecord[], first: ReadonlyMap<number, number>, now: number): void {
    const next = new Map(first);
    for (const item of batch) {
      const offset = next.get(item.partition) ?? 0;
      next.set(item.partition, offset + 1);
      if (!this.#settle(item)) continue;
      item.resolve({ partition: item.partition, offset });
      this.#tell(now - item.since);
    }
  }

  /** Never throws: the rest of the batch would be sent again. */
  #tell(ms: number): void {
    try {
      this.#options.acknowledged?.(ms);
    } catch {
      // The record is written, whatever becomes of its time.
    }
  }

  failed(item: PendingRecord, error: PublishError): void {
    if (this.#settle(item)) item.reject(error);
  }

  /** Gives up on those of the records that were to be written by `now`. */
  expire(items: readonly PendingRecord[], now: number, fault: string | null): void {
    const why = `${this.#options.topic} did not acknowledge in time${fault === null ? "" : `: ${fault}`}`;
    for (const item of items) {
      if (item.deadline <= now) this.failed(item, new PublishError("timeout", why));
    }
  }

  /** Gives up on records that were sent: even after an error that the broker named they may stand in the topic. */
  giveUp(items: readonly PendingRecord[], reason: string): void {
    const why = `${this.#options.topic} did not acknowledge: ${reason}`;
    for (const item of items) this.failed(item, new PublishError("timeout", why));
  }

  /** Gives up on records for good. */
  abandon(items: readonly PendingRecord[]): void {
    const why = `${this.#options.topic} did not acknowledge before the shutdown`;
    for (const item of items) this.failed(item, new PublishError("closed", why));
  }

  #settle(item: PendingRecord): boolean {
    if (item.isSettled) return false;
    item.isSettled = true;
    this.#size -= 1;
    this.#bytes -= item.bytes;
    return true;
  }
}
