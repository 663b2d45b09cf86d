import type { Fingerprint } from "./fingerprint.ts";
import { KEY_WORDS, WORDS } from "./fingerprint.ts";

/** What is kept of a command that has its final result: where to read it, and as much as the fold must know of it. */
export type Final = {
  /** Of the Concluded entry; of the Claimed entry where the fold itself concluded the command. */
  offset: number;
  /** The quote was another command's: concluded by the fold itself. */
  taken: boolean;
  succeeded: boolean;
};

/** Final results of one partition of the journal: 28 bytes for each, in one typed array that is filled to between 35 and 70 percent. */
export type Memory = {
  find(print: Fingerprint): Final | null;
  /** Whether a command is known to have executed the accept of this key. */
  isSpent(print: Fingerprint): boolean;
  remember(print: Fingerprint, final: Final): void;
  /** The partner executed it after all, whatever the final result says: the quote must not be sent again. */
  markSpent(print: Fingerprint): void;
  /** Forgets results whose entries stand before `offset`: the log does not hold them any more. */
  forgetBefore(offset: number): void;
  readonly count: number;
  readonly bytes: number;
};

// A slot: the fingerprint, the low 32 bits of the offset, then its high 21 bits and the flags.
const SLOT = WORDS + 2;
const LOW = WORDS;
const HIGH = WORDS + 1;
const HIGH_MASK = 0x1fffff;
const USED = 1 << 27;
const TAKEN = 1 << 28;
const SPENT = 1 << 29;
const SUCCEEDED = 1 << 30;
const MAX_LOAD = 0.7;
const SMALLEST = 64;
const TWO_32 = 2 ** 32;

const at = (words: Uint32Array, index: number): number => words[index] ?? 0;

const matches = (slots: Uint32Array, base: number, print: Fingerprint, words: number): boolean => {
  for (let i = 0; i < words; i++) if (slots[base + i] !== print[i]) return false;
  return true;
};

export const createMemory = (): Memory => {
  let capacity = SMALLEST;
  let slots = new Uint32Array(capacity * SLOT);
  let count = 0;

  const isUsed = (base: number): boolean => (at(slots, base + HIGH) & USED) !== 0;
  const after = (base: number): number => (base + SLOT === slots.length ? 0 : base + SLOT);
  const startOf = (firstWord: number): number => (firstWord & (capacity - 1)) * SLOT;

  /** All commands of a key stand in one run of slots, which an unused slot ends. */
  const seek = (print: Fingerprint): number => {
    let base = startOf(at(print, 0));
    while (isUsed(base) && !matches(slots, base, print, WORDS)) base = after(base);
    return base;
  };

  const rebuild = (nextCapacity: number, keep: (old: Uint32Array, base: number) => boolean): void => {
    const old = slots;
    capacity = nextCapacity;
    slots = new Uint32Array(capacity * SLOT);
    count = 0;
    for (let from = 0; from < old.length; from += SLOT) {
      if ((at(old, from + HIGH) & USED) === 0 || !keep(old, from)) continue;
      let to = startOf(at(old, from));
      while (isUsed(to)) to = after(to);
      slots.set(old.subarray(from, from + SLOT), to);
      count += 1;
    }
  };

  const offsetAt = (words: Uint32Array, base: number): number =>
    (at(words, base + HIGH) & HIGH_MASK) * TWO_32 + at(words, base + LOW);

  return {
    find: (print) => {
      const base = seek(print);
      if (!isUsed(base)) return null;
      const flags = at(slots, base + HIGH);
      return {
        offset: offsetAt(slots, base),
        taken: (flags & TAKEN) !== 0,
        succeeded: (flags & SUCCEEDED) !== 0,
      };
    },

    isSpent: (print) => {
      for (let base = startOf(at(print, 0)); isUsed(base); base = after(base))
        if ((at(slots, base + HIGH) & SPENT) !== 0 && matches(slots, base, print, KEY_WORDS)) return true;
      return false;
    },

    remember: (print, { offset, taken, succeeded }) => {
      if ((count + 1) / capacity > MAX_LOAD) rebuild(capacity * 2, () => true);
      const base = seek(print);
      if (!isUsed(base)) count += 1;
      slots.set(print, base);
      slots[base + LOW] = offset % TWO_32;
      slots[base + HIGH] =
        Math.floor(offset / TWO_32) | USED | (taken ? TAKEN : 0) | (succeeded ? SUCCEEDED | SPENT : 0);
    },

    markSpent: (print) => {
      const base = seek(print);
      if (isUsed(base)) slots[base + HIGH] = at(slots, base + HIGH) | SPENT;
    },

    forgetBefore: (offset) => {
      let kept = 0;
      for (let base = 0; base < slots.length; base += SLOT)
        if (isUsed(base) && offsetAt(slots, base) >= offset) kept += 1;
      if (kept === count) return;
      let fitting = SMALLEST;
      while (kept / fitting > MAX_LOAD) fitting *= 2;
      rebuild(fitting, (old, base) => offsetAt(old, base) >= offset);
    },

    get count() {
      return count;
    },
    get bytes() {
      return slots.byteLength;
    },
  };
};
