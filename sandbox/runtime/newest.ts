/** Keeps the newest `capacity` items; those with a key can be found by it. */
export class Newest<T> {
  readonly #capacity: number;
  #items: { key: string | undefined; item: T }[] = [];
  readonly #byKey = new Map<string, T>();
  #next = 0;
  /** How many were added, those that are gone included. */
  added = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Adds an item; its key must be new. */
  add(item: T, key?: string): void {
    this.added += 1;
    const oldest = this.#items[this.#next]?.key;
    if (oldest !== undefined) this.#byKey.delete(oldest);
    this.#items[this.#next] = { key, item };
    this.#next = (this.#next + 1) % this.#capacity;
    if (key !== undefined) this.#byKey.set(key, item);
  }

  get(key: string): T | undefined {
    return this.#byKey.get(key);
  }

  /** Newest first. */
  newest(limit = Infinity): T[] {
    const { length } = this.#items;
    return Array.from({ length: Math.min(limit, length) }, (_, back) =>
      this.#items.at((this.#next - 1 - back) % length),
    )
      .filter((kept) => kept !== undefined)
      .map(({ item }) => item);
  }

  clear(): void {
    this.#items = [];
    this.#byKey.clear();
    this.#next = 0;
    this.added = 0;
  }
}
