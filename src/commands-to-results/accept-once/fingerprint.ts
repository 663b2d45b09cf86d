import { digestOf, wordOf } from "../../runtime/digest.ts";
import type { Ref } from "./entry.ts";

/**
 * Two words of the commandId, three of the key. Two of ten million keys share their 96 bits with a probability of
 * 10^-15; a clash could only refuse a quote as taken, never let one be accepted twice.
 */
export type Fingerprint = readonly number[];

export const WORDS = 5;
export const KEY_INDEX = 2;

/** A 32-bit word of the content's hash (hex). Two different contents look equal once in four billion. */
export const contentWord = (requestHash: string): number => parseInt(requestHash.slice(0, 8), 16) >>> 0;

/** The key with its operation: an accept and a create may have equal keys. */
export const keyName = ({ operation, key }: Pick<Ref, "operation" | "key">): string =>
  `${operation === "ACCEPT_QUOTE" ? "a" : "c"}${key}`;

export const fingerprint = (ref: Ref): Fingerprint => {
  const key = digestOf(keyName(ref));
  const command = digestOf(ref.commandId);
  // The memory's tables take a row that ends in zero for an empty one.
  const first = wordOf(key, 0) || 1;
  return [wordOf(command, 0), wordOf(command, 4), first, wordOf(key, 4), wordOf(key, 8)];
};
