type Entry<T> = { value: T; before: Entry<T> | null; after: Entry<T> | null };

/**
 * A list whose members leave in any order. A Set does the same, but the hash tables that it has outgrown refer
 * to the next one, so that V8 keeps them, with the requests in them, until a major collection. Measured with
 * 64 connections: a list takes 15 to 20 MB less, a tenth of the process.
 */
export class LinkedList<T> {
  #first: Entry<T> | null = null;
  #last: Entry<T> | null = null;

  get first(): T | undefined {
    return this.#first?.value;
  }

  /** Appends a value. @returns a function that removes it, and must be called only once */
  add(value: T): () => void {
    const entry: Entry<T> = { value, before: this.#last, after: null };
    if (this.#last) this.#last.after = entry;
    else this.#first = entry;
    this.#last = entry;
    return () => this.#remove(entry);
  }

  #remove(entry: Entry<T>): void {
    const { before, after } = entry;
    if (before) before.after = after;
    else this.#first = after;
    if (after) after.before = before;
    else this.#last = before;
    entry.before = null;
    entry.after = null;
  }
}
