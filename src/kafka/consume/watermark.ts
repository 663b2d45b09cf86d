/**
 * Which offset of a partition may be committed: the first one that is not finished. Records finish in any order; the offset
 * never passes one that has not.
 */
export class Watermark {
  /** Offsets taken in and not released yet, ascending, each with whether it is finished. */
  #offsets: number[] = [];
  #finished = new Set<number>();
  #head = 0;
  /** The offset after the last one taken in. */
  #next: number;

  constructor(next: number) {
    this.#next = next;
  }

  /** The offset to read next. */
  get next(): number {
    return this.#next;
  }

  /** Takes an offset in. Offsets ascend; gaps, which compaction and transactions leave, are fine. */
  begin(offset: number): void {
    this.#offsets.push(offset);
    this.#next = offset + 1;
  }

  finish(offset: number): void {
    this.#finished.add(offset);
  }

  /** The offset to commit: the oldest unfinished one, or the next one when all are finished. */
  committable(): number {
    for (let oldest = this.#offsets[this.#head]; oldest !== undefined; oldest = this.#offsets[this.#head]) {
      if (!this.#finished.delete(oldest)) return oldest;
      this.#head += 1;
      if (this.#head > 1_024) {
        this.#offsets = this.#offsets.slice(this.#head);
        this.#head = 0;
      }
    }
    return this.#next;
  }
}
