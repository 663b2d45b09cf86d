import { hash } from "node:crypto";
import type { Ref } from "./entry.ts";

/**
 * Five 32-bit words that stand for a command under its key: three of the key, two of the commandId. Two of ten million keys share their
 * 96 bits with a probability of 10^-15; a clash could only refuse a quote as taken, never let one be accepted twice.
 */
export type Fingerprint = Uint32Array;

export const WORDS = 5;
export const KEY_WORDS = 3;
/** Index of the commandId's first word. */
export const COMMAND = KEY_WORDS;

const word = (digest: string, at: number): number =>
  ((digest.charCodeAt(at) << 24) |
    (digest.charCodeAt(at + 1) << 16) |
    (digest.charCodeAt(at + 2) << 8) |
    digest.charCodeAt(at + 3)) >>>
  0;

/** A 32-bit word of the content's hash (hex). Two different contents look equal once in four billion. */
export const contentOf = (requestHash: string): number => parseInt(requestHash.slice(0, 8), 16) >>> 0;

/** The key with its operation: an accept and a create may have equal keys. */
export const keyName = ({ operation, key }: Pick<Ref, "operation" | "key">): string =>
  `${operation === "ACCEPT_QUOTE" ? "a" : "c"}${key}`;

export const fingerprint = (ref: Ref): Fingerprint => {
  const key = hash("sha256", keyName(ref), "binary");
  const command = hash("sha256", ref.commandId, "binary");
  const words = new Uint32Array(WORDS);
  for (let i = 0; i < KEY_WORDS; i++) words[i] = word(key, 4 * i);
  for (let i = COMMAND; i < WORDS; i++) words[i] = word(command, 4 * (i - COMMAND));
  // The memory's tables take a row that ends in zero for an empty one.
  words[0] ||= 1;
  return words;
};
