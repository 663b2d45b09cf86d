import { wordOf, type Digest } from "../runtime/digest.ts";

/** 64 bits of a digest. The first word is never 0. */
export type DigestKey = { first: number; second: number };

export const keyOf = (digest: Digest): DigestKey => ({
  first: wordOf(digest, 0) || 1,
  second: wordOf(digest, 4),
});

type Numbers = Uint8Array | Float64Array;

/** Above this load factor, probing for a free slot takes long. */
const MAX_LOAD = 0.85;
const FIRST_SLOTS = 1_024;

/**
 * A compact map from digests to numbers: a hash table with open addressing and linear probing, in typed
 * arrays. A slot takes 8 bytes and those of its number, where a Map takes 100. Doubles when it is full.
 *
 * It compares 64 bits of a digest. Among ten million keys, a look-up of another one finds a false match with
 * a probability of about 10^-12.
 */
export class DigestTable {
  count = 0;
  /** Two 32-bit words for each slot; a first word of 0 marks a free slot. */
  #keys: Uint32Array;
  #numbers: Numbers | null;
  readonly #newNumbers: (new (length: number) => Numbers) | null;

  /** @param numbers null when all numbers are 0 */
  constructor(numbers: (new (length: number) => Numbers) | null, slots = FIRST_SLOTS) {
    this.#newNumbers = numbers;
    this.#keys = new Uint32Array(2 * slots);
    this.#numbers = numbers && new numbers(slots);
  }

  /** The next new key would exceed the load factor. */
  get isFull(): boolean {
    return this.count + 1 > (this.#keys.length / 2) * MAX_LOAD;
  }

  get(key: DigestKey): number | undefined {
    const at = this.#find(key);
    return this.#keys[2 * at] === 0 ? undefined : this.#numberAt(at);
  }

  set(key: DigestKey, value: number): void {
    if (this.isFull) this.#grow();
    const at = this.#find(key);
    if (this.#keys[2 * at] === 0) this.count += 1;
    this.#keys[2 * at] = key.first;
    this.#keys[2 * at + 1] = key.second;
    if (this.#numbers) this.#numbers[at] = value;
  }

  clear(): void {
    if (this.count > 0) this.#keys.fill(0);
    this.count = 0;
  }

  #numberAt(slot: number): number {
    return this.#numbers?.[slot] ?? 0;
  }

  /** The slot of the key, or the free slot for it. */
  #find({ first, second }: DigestKey): number {
    const keys = this.#keys;
    const slots = keys.length / 2;
    let at = Math.floor((second / 2 ** 32) * slots);
    while (keys[2 * at] !== 0 && !(keys[2 * at] === first && keys[2 * at + 1] === second))
      at = at + 1 < slots ? at + 1 : 0;
    return at;
  }

  #grow(): void {
    const larger = new DigestTable(this.#newNumbers, this.#keys.length);
    for (let at = 0; at < this.#keys.length / 2; at++) {
      const first = this.#keys[2 * at] ?? 0;
      if (first !== 0) larger.set({ first, second: this.#keys[2 * at + 1] ?? 0 }, this.#numberAt(at));
    }
    this.#keys = larger.#keys;
    this.#numbers = larger.#numbers;
  }
}
