import { eachHeader, NO_HEADERS } from "../kafka/headers.ts";
import type { EncodedHeaders, Header, Outgoing } from "../kafka/record.ts";

/**
 * Together with what each part repeats, below half of the default max.message.bytes: some topics take less.
 */
const PART_BYTES = 256 * 1024;
const REPEATED_BYTES = 64 * 1024;

/**
 * What a part holds a piece of. Headers are encoded as in a Kafka record: names and values with their lengths
 * in front.
 */
type What = "value" | "key" | "headers";
type Piece = { what: What; bytes: Buffer };

/** At least one piece unless `bytes` is null, so that empty and null differ. */
const piecesOf = (what: What, bytes: Buffer | null): Piece[] => {
  if (bytes === null) return [];
  const count = Math.max(1, Math.ceil(bytes.length / PART_BYTES));
  return Array.from({ length: count }, (_, i) => ({
    what,
    bytes: bytes.subarray(i * PART_BYTES, (i + 1) * PART_BYTES),
  }));
};

/**
 * Splits a letter into parts that fit into any topic. Each part repeats the letter's key and headers; if
 * these are too large, they are sent in parts too, before the value.
 * @param id unique to the letter, the same in all its parts
 */
export const splitIntoParts = (
  { key, value, headers, encodedHeaders = NO_HEADERS }: Outgoing,
  id: string,
): Outgoing[] => {
  const fits = (key?.length ?? 0) + encodedHeaders.bytes.length <= REPEATED_BYTES;
  const repeated = fits ? { key, encodedHeaders } : { key: null };
  const pieces = [
    ...(fits ? [] : [...piecesOf("key", key), ...piecesOf("headers", encodedHeaders.bytes)]),
    ...piecesOf("value", value),
  ];
  return pieces.map(({ what, bytes }, i) => {
    const added: Header[] = [
      ["dead-letter-part", `${i + 1}/${pieces.length}`],
      ["dead-letter-part-of", what],
      ["dead-letter-part-id", id],
    ];
    return { ...repeated, value: bytes, headers: [...headers, ...added] };
  });
};

/** The record that became a dead letter. */
export type Original = { key: Buffer | null; value: Buffer | null; headers: EncodedHeaders };
/** A part without the headers that the bridge added. */
export type ReadPart = Original & { of: string };

const countOf = (bytes: Buffer): number => [...eachHeader({ count: Infinity, bytes })].length;

/** The inverse of `splitIntoParts`. All parts must be there, in order. */
export const joinParts = (parts: readonly ReadPart[]): Original => {
  const pieces = (what: What): Buffer | null => {
    const found = parts.filter(({ of }) => of === what).map(({ value }) => value ?? Buffer.alloc(0));
    return found.length === 0 ? null : Buffer.concat(found);
  };
  const value = pieces("value");
  const [first] = parts;
  if (first && parts.every(({ of }) => of === "value"))
    return { key: first.key, value, headers: first.headers };
  const bytes = pieces("headers") ?? Buffer.alloc(0);
  return { key: pieces("key"), value, headers: { count: countOf(bytes), bytes } };
};
