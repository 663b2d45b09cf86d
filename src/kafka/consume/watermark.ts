import type { Mark } from "../mark.ts";

/**
 * Which offset of a partition may be committed: the first one that is not finished. Records finish in any order; the offset
 * never passes one that has not.
 */
export class Watermark {
  /** Records taken in and not released yet, ascending. */
  #taken: Mark[] = [];
  #finished = new Set<number>();
  #head = 0;
  #released: Mark | null;
  /** The offset after the last one taken in. */
  #next: number;

  /** @param mark the record at this offset or the last one before it, where it is known */
  constructor(next: number, mark: Mark | null = null) {
    this.#next = next;
    this.#released = mark;
  }

  /** The offset to read next. */
  get next(): number {
    return this.#next;
  }

  /** The last record taken in, or what was known of the log before the first one. */
  get last(): Mark | null {
    return this.#taken.at(-1) ?? this.#released;
  }

  /** By what the log is known again at the offset to commit: the record that stands there, or the last one before it. */
  get mark(): Mark | null {
    return this.#taken[this.#head] ?? this.#released;
  }

  /** Takes an offset in. Offsets ascend; gaps, which compaction and transactions leave, are fine. */
  begin(offset: number, timestampMs: number): void {
    this.#taken.push({ offset, timestampMs });
    this.#next = offset + 1;
  }

  /** Everything before this offset was read, also where no record stands. */
  pass(next: number): void {
    this.#next = Math.max(this.#next, next);
  }

  finish(offset: number): void {
    this.#finished.add(offset);
  }

  /** The offset to commit: the oldest unfinished one, or the next one when all are finished. */
  committable(): number {
    for (let oldest = this.#taken[this.#head]; oldest !== undefined; oldest = this.#taken[this.#head]) {
      if (!this.#finished.delete(oldest.offset)) return oldest.offset;
      this.#released = oldest;
      this.#head += 1;
      if (this.#head > 1_024) {
        this.#taken = this.#taken.slice(this.#head);
        this.#head = 0;
      }
    }
    return this.#next;
  }
}
