import { hash } from "node:crypto";

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
const INNER = 0x36;
const OUTER = 0x5c;

/** By way of text: memory of its own for each digest costs as much as the hashing. */
export const sha256 = (bytes: Buffer): Buffer => Buffer.from(hash("sha256", bytes, "binary"), "binary");

/** A key, made ready for any number of messages, one after the other. As secret as the key itself. */
export type HmacKey = {
  readonly inner: Buffer;
  /** With room for the digest that is hashed behind it. */ readonly outer: Buffer;
};

export const hmacKey = (key: Buffer): HmacKey => {
  const block = Buffer.alloc(BLOCK_BYTES);
  (key.length > BLOCK_BYTES ? sha256(key) : key).copy(block);
  const outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES);
  outer.set(block.map((byte) => byte ^ OUTER));
  return { inner: block.map((byte) => byte ^ INNER) as Buffer, outer };
};

/**
 * HMAC-SHA256 of the parts one after the other, by its definition (RFC 2104): two hashes. Node's createHmac makes an object outside of V8's
 * heap for each message, which costs more than both hashes of a message of less than a kilobyte, as they are here. Of a large message these
 * cost up to twice as much.
 */
export const hmacSha256 = ({ inner, outer }: HmacKey, ...parts: readonly Buffer[]): Buffer => {
  outer.write(hash("sha256", Buffer.concat([inner, ...parts]), "binary"), BLOCK_BYTES, "binary");
  return sha256(outer);
};
