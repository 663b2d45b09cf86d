import type { Mark } from "../mark.ts";

/** Knows the offset that may be committed. It never passes an unfinished record, in whatever order records finish. */
export class Watermark {
  /** Records from the oldest unfinished one on, ascending; those before `#head` are released. */
  #taken: Mark[] = [];
  #finished = new Set<number>();
  #head = 0;
  #released: Mark | null;
  /** The offset after the last one that was read. */
  #next: number;

  /** The last offset that was committed; -1 for none. */
  committed: number;
  /** When the partition was last known to be read to its end: what is still unread was written later. */
  caughtUpAtMs = 0;

  /** @param mark the record at this offset, or the last one before it; null if unknown */
  constructor(next: number, mark: Mark | null = null, committed = -1) {
    this.#next = next;
    this.#released = mark;
    this.committed = committed;
  }

  get next(): number {
    return this.#next;
  }

  get last(): Mark | null {
    return this.#taken.at(-1) ?? this.#released;
  }

  /** The record at the committable offset, or the last one before it: the log is recognised by it later. */
  get mark(): Mark | null {
    return this.#taken[this.#head] ?? this.#released;
  }

  /** Adds a record. Offsets ascend; compaction and transactions leave gaps. */
  begin(offset: number, timestampMs: number): void {
    this.#taken.push({ offset, timestampMs });
    this.#next = offset + 1;
  }

  /** All offsets below this one were read, including those without a record. */
  pass(next: number): void {
    this.#next = Math.max(this.#next, next);
  }

  finish(offset: number): void {
    this.#finished.add(offset);
  }

  committable(): number {
    for (let oldest = this.#taken[this.#head]; oldest !== undefined; oldest = this.#taken[this.#head]) {
      if (!this.#finished.delete(oldest.offset)) return oldest.offset;
      this.#released = oldest;
      this.#head += 1;
      // Behind a record that took long there may be millions: each is moved once or twice in all.
      if (this.#head > 1_024 && 2 * this.#head > this.#taken.length) {
        this.#taken = this.#taken.slice(this.#head);
        this.#head = 0;
      }
    }
    return this.#next;
  }
}
