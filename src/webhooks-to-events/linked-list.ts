type Entry<T> = { value: T; before: Entry<T> | null; after: Entry<T> | null };

/**
 * A list whose members leave in any order. For the requests that are arriving, a Set takes 15 to 20 MB more, a
 * tenth of the process: V8 keeps the hash tables that it has outgrown until a major collection.
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
