/** A ring buffer: keeps the newest `capacity` items. */
export class Ring<T> {
  readonly #capacity: number;
  readonly #items: T[] = [];
  #next = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  push(item: T): void {
    this.#items[this.#next] = item;
    this.#next = (this.#next + 1) % this.#capacity;
  }

  /** Newest first. */
  newest(limit = this.#capacity): T[] {
    const { length } = this.#items;
    return Array.from({ length: Math.min(limit, length) }, (_, back) =>
      this.#items.at((this.#next - 1 - back) % length),
    ).filter((item) => item !== undefined);
  }

  clear(): void {
    this.#items.length = 0;
    this.#next = 0;
  }
}

/** A map that drops its oldest key when it would hold more than `capacity`. */
export class BoundedMap<T> {
  readonly #capacity: number;
  readonly #items = new Map<string, T>();
  // The order is kept separately: to find the oldest key of a Map is slow after many deletions.
  readonly #order: string[] = [];
  #next = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(key: string): T | undefined {
    return this.#items.get(key);
  }

  /** Adds a key, which must be new. */
  add(key: string, item: T): void {
    const oldest = this.#order[this.#next];
    if (oldest !== undefined) this.#items.delete(oldest);
    this.#order[this.#next] = key;
    this.#next = (this.#next + 1) % this.#capacity;
    this.#items.set(key, item);
  }

  /** Newest first. */
  newest(limit = this.#capacity): T[] {
    return [...this.#items.values()].slice(-limit).reverse();
  }

  clear(): void {
    this.#items.clear();
    this.#order.length = 0;
    this.#next = 0;
  }
}
