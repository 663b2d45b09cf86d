import { createHash } from "node:crypto";

/** A stream of pseudo-random numbers in [0, 1). The same seed and label give the same stream. */
export type Random = () => number;

/** Small and fast counter-based generator (the "sfc32" family); not for secrets. */
export const randomFrom = (seed: string, label: string): Random => {
  const digest = createHash("sha256").update(`${seed}\n${label}`).digest();
  let a = digest.readInt32LE(0);
  let b = digest.readInt32LE(4);
  let c = digest.readInt32LE(8);
  let counter = digest.readInt32LE(12);
  return () => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 4_294_967_296;
  };
};

const hex = (random: Random, digits: number): string =>
  Math.floor(random() * 16 ** digits)
    .toString(16)
    .padStart(digits, "0");

/**
 * Copies a concatenated string, which otherwise takes ten times the memory: hundreds of thousands of ids are
 * kept.
 */
const flat = (text: string): string => Buffer.from(text, "latin1").toString("latin1");

/** A version 4 UUID. */
export const uuidFrom = (random: Random): string =>
  flat(
    `${hex(random, 8)}-${hex(random, 4)}-4${hex(random, 3)}-a${hex(random, 3)}-${hex(random, 6)}${hex(random, 6)}`,
  );

const digits = (random: Random, count: number): string =>
  Math.floor(random() * 10 ** count)
    .toString()
    .padStart(count, "0");

/** A number of 15 digits as text; as a JSON number it is exact. */
export const numberFrom = (random: Random): string =>
  flat(`${1 + Math.floor(random() * 9)}${digits(random, 7)}${digits(random, 7)}`);

/** Uniformly distributed around `meanMs`, by up to the share `jitter` (0.2 is 20 %) to either side. */
export const jittered = (random: Random, meanMs: number, jitter: number): number =>
  meanMs * (1 + jitter * (2 * random() - 1));
