import { wordOf, type Digest } from "../runtime/digest.ts";

/** 64 bits of a digest. The first word is never 0. */
export type DigestKey = { first: number; second: number };

export const keyOf = (digest: Digest): DigestKey => ({
  first: wordOf(digest, 0) || 1,
  second: wordOf(digest, 4),
});

type NumberArray = Uint8Array | Uint16Array | Float64Array;

/** Probing for a free slot takes long above this load factor. */
const MAX_LOAD = 0.85;
const FIRST_SLOTS = 1_024;

/**
 * A compact map: a slot takes 8 bytes and those of its number, where a Map takes 100. Doubles when it is full. With ten
 * million keys, a look-up of another one finds a false match in 64 bits with a probability of about 10^-12.
 */
export class DigestTable {
  count = 0;
  /** Two 32-bit words for each slot; a first word of 0 marks a free slot. */
  #keys: Uint32Array;
  #numbers: NumberArray;
  readonly #arrayType: new (length: number) => NumberArray;

  constructor(arrayType: new (length: number) => NumberArray, slots = FIRST_SLOTS) {
    this.#arrayType = arrayType;
    this.#keys = new Uint32Array(2 * slots);
    this.#numbers = new arrayType(slots);
  }

  get isFull(): boolean {
    return this.count + 1 > (this.#keys.length / 2) * MAX_LOAD;
  }

  get(key: DigestKey): number | undefined {
    const slot = this.#find(key);
    return this.#keys[2 * slot] === 0 ? undefined : this.#numbers[slot];
  }

  set(key: DigestKey, value: number): void {
    if (this.isFull) this.#grow();
    const slot = this.#find(key);
    if (this.#keys[2 * slot] === 0) this.count += 1;
    this.#keys[2 * slot] = key.first;
    this.#keys[2 * slot + 1] = key.second;
    this.#numbers[slot] = value;
  }

  clear(): void {
    if (this.count > 0) this.#keys.fill(0);
    this.count = 0;
  }

  #find({ first, second }: DigestKey): number {
    const keys = this.#keys;
    const slots = keys.length / 2;
    let slot = Math.floor((second / 2 ** 32) * slots);
    while (keys[2 * slot] !== 0 && !(keys[2 * slot] === first && keys[2 * slot + 1] === second))
      slot = slot + 1 < slots ? slot + 1 : 0;
    return slot;
  }

  #grow(): void {
    const larger = new DigestTable(this.#arrayType, this.#keys.length);
    for (let slot = 0; slot < this.#keys.length / 2; slot++) {
      const first = this.#keys[2 * slot] ?? 0;
      if (first !== 0) larger.set({ first, second: this.#keys[2 * slot + 1] ?? 0 }, this.#numbers[slot] ?? 0);
    }
    this.#keys = larger.#keys;
    this.#numbers = larger.#numbers;
  }
}
