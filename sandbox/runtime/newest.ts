/** Keeps the newest `capacity` items, which can be found by their keys. */
export class Newest<T> {
  readonly #capacity: number;
  readonly #items = new Map<string, T>();
  /** How many were added, those that are gone included. */
  added = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Adds an item; its key must be new. */
  add(item: T, key = String(this.added)): void {
    this.added += 1;
    this.#items.set(key, item);
    if (this.#items.size <= this.#capacity) return;
    for (const oldest of this.#items.keys()) {
      this.#items.delete(oldest);
      break;
    }
  }

  get(key: string): T | undefined {
    return this.#items.get(key);
  }

  /** Newest first. */
  newest(limit = Infinity): T[] {
    return [...this.#items.values()].reverse().slice(0, limit);
  }

  clear(): void {
    this.#items.clear();
    this.added = 0;
  }
}
