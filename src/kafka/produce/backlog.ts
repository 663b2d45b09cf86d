import { LinkedList } from "../../runtime/linked-list.ts";
import type { Outgoing, Written } from "../record.ts";
import { PublishError, sizeOf, type Waiting } from "./waiting.ts";

/** All records of a publisher that are not settled yet, bounded in number and bytes. Instants are monotonic milliseconds. */
export class Backlog {
  readonly #items = new LinkedList<Waiting>();
  readonly #topic: string;
  readonly #maxRecords: number;
  readonly #maxBytes: number;
  #bytes = 0;
  #sequence = 0;

  constructor(topic: string, maxRecords: number, maxBytes: number) {
    this.#topic = topic;
    this.#maxRecords = maxRecords;
    this.#maxBytes = maxBytes;
  }

  get size(): number {
    return this.#items.size;
  }

  /** Takes a record in; rejects it at once when the bound is met. */
  admit(
    record: Outgoing,
    deadline: number,
    resolve: (written: Written) => void,
    reject: (error: PublishError) => void,
  ): Waiting | null {
    const bytes = sizeOf(record);
    if (this.#items.size >= this.#maxRecords || this.#bytes + bytes > this.#maxBytes) {
      reject(new PublishError("overloaded", `too many records wait for ${this.#topic}`));
      return null;
    }
    const item: Waiting = {
      sequence: this.#sequence,
      record,
      bytes,
      deadline,
      partition: -1,
      link: null,
      resolve,
      reject,
    };
    this.#sequence += 1;
    this.#bytes += bytes;
    item.link = this.#items.add(item);
    return item;
  }

  written(item: Waiting, offset: number): void {
    if (this.#settle(item)) item.resolve({ partition: item.partition, offset });
  }

  failed(item: Waiting, error: PublishError): void {
    if (this.#settle(item)) item.reject(error);
  }

  /** Gives up on what was to be written by `now`. */
  expire(now: number, fault: string | null): void {
    const why = `${this.#topic} did not acknowledge in time${fault === null ? "" : `: ${fault}`}`;
    for (const item of this.#items) {
      if (item.deadline <= now) this.failed(item, new PublishError("timeout", why));
    }
  }

  /** Gives up on everything. */
  abandon(): void {
    const why = `${this.#topic} did not acknowledge before the shutdown`;
    for (const item of this.#items) this.failed(item, new PublishError("closed", why));
  }

  #settle(item: Waiting): boolean {
    if (item.link === null) return false;
    this.#items.remove(item.link);
    item.link = null;
    this.#bytes -= item.bytes;
    return true;
  }
}
