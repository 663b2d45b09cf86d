import type { RecordPosition } from "../../runtime/record-position.ts";
import type { Outgoing } from "../record.ts";
import { PublishError } from "./publish-error.ts";

/** A record between `publish` and its settlement. Settled once; later outcomes are ignored. */
export type PendingRecord = {
  readonly sequence: number;
  readonly record: Outgoing;
  readonly bytes: number;
  /** When it was handed over and when it expires, in monotonic milliseconds. */
  readonly since: number;
  readonly deadline: number;
  /** Chosen once the number of partitions is known; -1 until then. */
  partition: number;
  isSettled: boolean;
  readonly resolve: (written: RecordPosition) => void;
  readonly reject: (error: PublishError) => void;
};

/** Lengths, attributes and deltas of a record. */
const RECORD_BYTES = 64;
const HEADER_BYTES = 10;

/** Approximate size of a record on the wire, in bytes. */
const wireSizeOf = ({ key, value, headers, encodedHeaders }: Outgoing): number => {
  let bytes = RECORD_BYTES + (key?.length ?? 0) + (value?.length ?? 0) + (encodedHeaders?.bytes.length ?? 0);
  for (const [name, text] of headers) bytes += HEADER_BYTES + name.length + (text?.length ?? 0);
  return bytes;
};

export type BacklogOptions = {
  topic: string;
  /** Limits of unacknowledged records and their bytes; beyond them records are rejected as `overloaded`. */
  maxWaiting: number;
  maxWaitingBytes: number;
  /**
   * Called with the milliseconds from `publish` to the acknowledgement of a record. Not called for a record that was
   * given up before.
   */
  acknowledged?: (ms: number) => void;
};

/**
 * The unsettled records of a publisher: limits their number and bytes, and settles them. All times are monotonic
 * milliseconds.
 */
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

  /** Admits a record, or rejects it at once and gives null when a limit is reached. */
  admit(
    record: Outgoing,
    since: number,
    deadline: number,
    resolve: (written: RecordPosition) => void,
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
   * Resolves the records of a batch whose partition was written, except those that were given up meanwhile.
   * @param first by partition that was written, the offset of the batch's first record
   */
  written(batch: readonly PendingRecord[], first: ReadonlyMap<number, number>, now: number): void {
    const next = new Map(first);
    for (const item of batch) {
      const offset = next.get(item.partition);
      if (offset === undefined) continue;
      next.set(item.partition, offset + 1);
      if (!this.#settle(item)) continue;
      item.resolve({ partition: item.partition, offset });
      this.#reportLatency(now - item.since);
    }
  }

  /** Never throws: otherwise the rest of the batch would be sent again. */
  #reportLatency(ms: number): void {
    try {
      this.#options.acknowledged?.(ms);
    } catch {
      // A failing metric must not fail a record that is written.
    }
  }

  failed(item: PendingRecord, error: PublishError): void {
    if (this.#settle(item)) item.reject(error);
  }

  /** Rejects the records whose deadline has passed. They may have been written. */
  expire(items: readonly PendingRecord[], now: number, faultOf: (partition: number) => string | null): void {
    for (const item of items) {
      if (item.deadline > now) continue;
      const fault = faultOf(item.partition);
      const why = `${this.#options.topic} did not acknowledge in time${fault === null ? "" : `: ${fault}`}`;
      this.failed(item, new PublishError("timeout", why));
    }
  }

  /** Rejects records that were sent. They may have been written, even after an error code of the broker. */
  giveUp(items: readonly PendingRecord[], reason: string): void {
    const why = `${this.#options.topic} did not acknowledge: ${reason}`;
    for (const item of items) this.failed(item, new PublishError("timeout", why));
  }

  /** Rejects the records that remain at the shutdown. */
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
