import { wordOf, type Digest } from "./digest.ts";

/**
 * A compact map from digests to numbers, whose entries expire by age. It takes 8
 * bytes for a digest (16 with its number) where a Map takes 100, in typed arrays that never grow. The
 * operating system allocates their memory as it is written to.
 *
 * The window is divided into parts by time, each with its own hash table. Only the newest part is written to.
 * When it is full, or its time is over, the oldest part is emptied and becomes the newest.
 */
export type RecentDigests = {
  /** All numbers of a digest, combined; undefined for one that was not added within the window. */
  get(digest: Digest, nowMs: number): number | undefined;
  add(digest: Digest, value: number, atMs: number): void;
  /** How many digests are kept. One that was added in several parts counts once for each. */
  readonly count: number;
  readonly bytes: number;
};

export type RecentDigestsOptions = {
  windowMs: number;
  maxBytes: number;
  /** How the numbers of one digest make one. Null: every number is 0. */
  combine: ((earlier: number, later: number) => number) | null;
};

/** Fewer parts make look-ups faster; with more of them less is lost when the oldest is emptied. */
const PARTS = 8;
/** The time of a part, as a share of the window. A digest is kept too long by that much at most. */
const SHARE_OF_WINDOW = 1 / 4;
/** Above this load factor, probing for a free slot takes long. */
const MAX_LOAD = 0.85;
const BYTES_OF_KEY = 8;
const BYTES_OF_VALUE = 8;

/**
 * The parts of a digest in use: two words that are stored, and the slot where probing begins. A first word of
 * 0 marks a free slot.
 */
type Key = { first: number; second: number; slot: number };

/**
 * A hash table with open addressing and linear probing. It compares 64 bits of a digest: with 5 million
 * digests and 60 million look-ups a day, a false match happens once in millions of years.
 */
class Part {
  openedAtMs = 0;
  newestAtMs = 0;
  used = 0;
  readonly #slots: number;
  /** Two 32-bit words for each slot. */
  readonly #keys: Uint32Array;
  readonly #values: Float64Array;
  readonly #combine: RecentDigestsOptions["combine"];

  constructor(slots: number, combine: RecentDigestsOptions["combine"]) {
    this.#slots = slots;
    this.#keys = new Uint32Array(2 * slots);
    this.#values = new Float64Array(combine ? slots : 0);
    this.#combine = combine;
  }

  get isFull(): boolean {
    return this.used >= this.#slots * MAX_LOAD;
  }

  get(key: Key): number | undefined {
    const at = this.#find(key);
    return this.#keys[2 * at] === 0 ? undefined : (this.#values[at] ?? 0);
  }

  add(key: Key, value: number): void {
    const at = this.#find(key);
    if (this.#keys[2 * at] === 0) {
      this.used += 1;
      this.#keys[2 * at] = key.first;
      this.#keys[2 * at + 1] = key.second;
      this.#values[at] = value;
    } else if (this.#combine) this.#values[at] = this.#combine(this.#values[at] ?? 0, value);
  }

  empty(): void {
    if (this.used > 0) this.#keys.fill(0);
    this.used = 0;
  }

  /** The slot of the key, or the free slot for it. */
  #find({ first, second, slot }: Key): number {
    const keys = this.#keys;
    let at = slot;
    while (keys[2 * at] !== 0 && !(keys[2 * at] === first && keys[2 * at + 1] === second))
      at = at + 1 < this.#slots ? at + 1 : 0;
    return at;
  }
}

export const recentDigests = ({ windowMs, maxBytes, combine }: RecentDigestsOptions): RecentDigests => {
  const bytesOfSlot = BYTES_OF_KEY + (combine ? BYTES_OF_VALUE : 0);
  const slots = Math.max(1, Math.floor(maxBytes / PARTS / bytesOfSlot));
  let newest = new Part(slots, combine);
  /** Newest first. */
  const parts = [newest, ...Array.from({ length: PARTS - 1 }, () => new Part(slots, combine))];

  const keyOf = (digest: Digest): Key => ({
    first: wordOf(digest, 0) || 1,
    second: wordOf(digest, 4),
    slot: Math.floor((wordOf(digest, 8) / 2 ** 32) * slots),
  });

  const begin = (atMs: number): void => {
    const openedAtMs = Math.max(atMs, newest.openedAtMs);
    newest = parts.pop() ?? newest;
    parts.unshift(newest);
    newest.empty();
    newest.openedAtMs = openedAtMs;
    newest.newestAtMs = atMs;
  };

  return {
    get: (digest, nowMs) => {
      const key = keyOf(digest);
      let found: number | undefined;
      for (const part of parts) {
        if (part.used === 0 || part.newestAtMs + windowMs < nowMs) continue;
        const value = part.get(key);
        if (value === undefined) continue;
        if (combine === null) return value;
        found = found === undefined ? value : combine(value, found);
      }
      return found;
    },
    add: (digest, value, atMs) => {
      // Records of several partitions are not in the order of their times: only a later time can end a part.
      if (newest.used === 0) newest.openedAtMs = newest.newestAtMs = atMs;
      else if (newest.isFull || atMs > newest.openedAtMs + windowMs * SHARE_OF_WINDOW) begin(atMs);
      newest.newestAtMs = Math.max(newest.newestAtMs, atMs);
      newest.add(keyOf(digest), value);
    },
    get count() {
      return parts.reduce((sum, { used }) => sum + used, 0);
    },
    bytes: PARTS * slots * bytesOfSlot,
  };
};
