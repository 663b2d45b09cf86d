import { createHash } from "node:crypto";
import { BoundedMap } from "../runtime/bounded.ts";

const maxExecutedTwice = 10_000;

class Generation {
  readonly #slots: Uint32Array;
  readonly #mask: number;
  size = 0;

  constructor(capacity: number) {
    // At most half full, to keep probe sequences short.
    const slots = 2 ** Math.ceil(Math.log2(Math.max(2, capacity * 2)));
    this.#slots = new Uint32Array(slots * 2);
    this.#mask = slots - 1;
  }

  #find(high: number, low: number): number {
    for (let slot = high & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const a = this.#slots[slot * 2];
      const b = this.#slots[slot * 2 + 1];
      if ((a === high && b === low) || (a === 0 && b === 0)) return slot * 2;
    }
  }

  has(high: number, low: number): boolean {
    return this.#slots[this.#find(high, low) + 1] === low;
  }

  add(high: number, low: number): void {
    const at = this.#find(high, low);
    this.#slots[at] = high;
    this.#slots[at + 1] = low;
    this.size += 1;
  }
}

/**
 * Counts the executed accepts of each quote, for longer than the quote itself is kept. A quote takes 8 bytes:
 * a part of its SHA-1 digest in an open-addressing table. There are two tables of `capacity` quotes; when the
 * newer one is full, it replaces the older one. So at least the last `capacity` executed quotes are
 * remembered.
 */
export const createLedger = (capacity: number) => {
  let current = new Generation(capacity);
  let previous: Generation | undefined;
  let executions = 0;
  let quotes = 0;
  let executedTwiceCount = 0;
  let exact = true;
  const twice = new BoundedMap<{ quoteId: string; executions: number }>(maxExecutedTwice);

  const digestOf = (quoteId: string): [number, number] => {
    const digest = createHash("sha1").update(quoteId).digest();
    // A zero low half marks an empty slot.
    return [digest.readUInt32LE(0), digest.readUInt32LE(4) || 1];
  };
  const countOf = (quoteId: string, high: number, low: number): number =>
    twice.get(quoteId)?.executions ?? (current.has(high, low) || previous?.has(high, low) ? 1 : 0);

  const addFirst = (high: number, low: number) => {
    if (current.size >= capacity) {
      if (previous) exact = false;
      previous = current;
      current = new Generation(capacity);
    }
    current.add(high, low);
    quotes += 1;
  };

  return {
    executionsOf: (quoteId: string) => countOf(quoteId, ...digestOf(quoteId)),
    /** Counts one execution, and returns the new count. */
    execute: (quoteId: string) => {
      const digest = digestOf(quoteId);
      const now = countOf(quoteId, ...digest) + 1;
      executions += 1;
      if (now === 1) addFirst(...digest);
      const entry = twice.get(quoteId);
      if (entry) entry.executions = now;
      else if (now > 1) {
        executedTwiceCount += 1;
        if (executedTwiceCount > maxExecutedTwice) exact = false;
        twice.add(quoteId, { quoteId, executions: now });
      }
      return now;
    },
    /**
     * `executedTwice`: newest first, at most 10,000 of them. `exact`: false once a quote was forgotten, because
     * another execution of it would count as the first.
     */
    totals: () => ({ executions, quotes, executedTwiceCount, executedTwice: twice.newest(), exact }),
    clear: () => {
      current = new Generation(capacity);
      previous = undefined;
      executions = quotes = executedTwiceCount = 0;
      exact = true;
      twice.clear();
    },
  };
};

export type Ledger = ReturnType<typeof createLedger>;
