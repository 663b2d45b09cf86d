type Entry<T> = { value: T; before: Entry<T> | null; after: Entry<T> | null };

/**
 * A list whose members leave in any order. Use it instead of a Set, and arrays instead of a Map, where members
 * come and go thousands of times a second: the hash tables that a Set or Map has outgrown refer to the next one,
 * so that V8 keeps them all, with what they held, until it collects the old generation.
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
