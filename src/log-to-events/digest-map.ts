import { wordOf, type Digest } from "../notification/digest.ts";

/**
 * A compact map from digests to numbers: an open-addressing hash table in typed arrays. Ten
 * million entries take 150 MB with values of one byte, 270 MB with values of eight; a Map takes 1 GB. It
 * keeps 64 bits of a digest: among ten million keys, a look-up of another one finds a false match with a
 * probability of about 10^-12.
 */
export class DigestMap {
  size = 0;
  /** Two 32-bit words for each slot; a first word of 0 marks a free slot. */
  #keys: Uint32Array;
  #values: Uint8Array | Float64Array;
  readonly #valuesOf: (slots: number) => Uint8Array | Float64Array;

  constructor(values: typeof Uint8Array | typeof Float64Array) {
    this.#valuesOf = (slots) => new values(slots);
    this.#keys = new Uint32Array(2 * FIRST_SLOTS);
    this.#values = this.#valuesOf(FIRST_SLOTS);
  }

  get bytes(): number {
    return this.#keys.byteLength + this.#values.byteLength;
  }

  get(digest: Digest): number | undefined {
    const slot = this.#slotOf(...wordsOf(digest));
    return this.#keys[2 * slot] === 0 ? undefined : this.#values[slot];
  }

  set(digest: Digest, value: number): void {
    if (this.size >= this.#values.length * MAX_LOAD) this.#grow();
    const [first, second] = wordsOf(digest);
    this.#put(first, second, value);
  }

  #put(first: number, second: number, value: number): void {
    const slot = this.#slotOf(first, second);
    if (this.#keys[2 * slot] === 0) this.size += 1;
    this.#keys[2 * slot] = first;
    this.#keys[2 * slot + 1] = second;
    this.#values[slot] = value;
  }

  /** The slot of the key, or the free slot for it. */
  #slotOf(first: number, second: number): number {
    const keys = this.#keys;
    const mask = this.#values.length - 1;
    let slot = second & mask;
    while (keys[2 * slot] !== 0 && !(keys[2 * slot] === first && keys[2 * slot + 1] === second))
      slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const [keys, values] = [this.#keys, this.#values];
    this.size = 0;
    this.#keys = new Uint32Array(2 * keys.length);
    this.#values = this.#valuesOf(2 * values.length);
    for (let slot = 0; slot < values.length; slot++) {
      const first = keys[2 * slot] ?? 0;
      if (first !== 0) this.#put(first, keys[2 * slot + 1] ?? 0, values[slot] ?? 0);
    }
  }
}

/** A power of two, because slots are chosen by a bit mask. */
const FIRST_SLOTS = 1_024;
const MAX_LOAD = 0.7;

const wordsOf = (digest: Digest): [first: number, second: number] => [
  wordOf(digest, 0) || 1,
  wordOf(digest, 4),
];
