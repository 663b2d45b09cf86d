/** A seeded random generator. Everything in a schedule is determined by its seed. */
export type Random = {
  /** In [0, 1). */
  next(): number;
  chance(probability: number): boolean;
  /** A whole number from low to high, both included. */
  int(low: number, high: number): number;
  pick<T>(items: readonly T[]): T;
};

/** Mulberry32. The seed is hashed, so that neighbouring seeds give unrelated sequences. */
export const createRandom = (seed: number): Random => {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    chance: (probability) => next() < probability,
    int: (low, high) => low + Math.floor(next() * (high - low + 1)),
    pick: (items) => items[Math.floor(next() * items.length)]!,
  };
};
