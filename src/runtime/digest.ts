import { hash } from "node:crypto";

/** A SHA-256 digest as a string with one character for each of its 32 bytes. */
export type Digest = string;

export const digestOf = (text: string): Digest => hash("sha256", text, "binary");

/** 32 bits of a digest, from the byte `at` on. */
export const wordOf = (digest: Digest, at: number): number =>
  ((digest.charCodeAt(at) << 24) |
    (digest.charCodeAt(at + 1) << 16) |
    (digest.charCodeAt(at + 2) << 8) |
    digest.charCodeAt(at + 3)) >>>
  0;
