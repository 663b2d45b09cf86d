import { eachHeader, NO_HEADERS } from "../kafka/headers.ts";
import type { EncodedHeaders, Header, Outgoing } from "../kafka/record.ts";

/** With what is repeated in each part below half of what a topic takes by default, because some take less. */
const PART_BYTES = 256 * 1024;
const REPEATED_BYTES = 64 * 1024;

/** What a part holds a piece of. Headers are as a record of Kafka has them: each a name and a value, with its length in front. */
type What = "value" | "key" | "headers";
type Piece = { what: What; bytes: Buffer };

/** One at least where there is anything, so that what is empty is told from what is null. */
const piecesOf = (what: What, bytes: Buffer | null): Piece[] => {
  if (bytes === null) return [];
  const count = Math.max(1, Math.ceil(bytes.length / PART_BYTES));
  return Array.from({ length: count }, (_, i) => ({
    what,
    bytes: bytes.subarray(i * PART_BYTES, (i + 1) * PART_BYTES),
  }));
};

/**
 * A letter in parts that any topic takes. Each has the letter's key and headers; where these are too large for that, they come in parts
 * as well, before the value.
 * @param id the same in all parts of one letter, and in no other letter
 */
export const partsOf = (
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

/** A letter as it was before it became one. */
export type Original = { key: Buffer | null; value: Buffer | null; headers: EncodedHeaders };
/** A part that was read; its headers are those of the letter alone. */
export type ReadPart = Original & { of: string };

const countOf = (bytes: Buffer): number => [...eachHeader({ count: Infinity, bytes })].length;

/** Puts together what `partsOf` took apart. All parts are there, in their order. */
export const joined = (parts: readonly ReadPart[]): Original => {
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
