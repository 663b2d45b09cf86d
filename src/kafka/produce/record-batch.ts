import { NO_HEADERS } from "../headers.ts";
import type { EncodedHeaders, Header, Outgoing } from "../record.ts";
import { crc32c } from "./crc32c.ts";

/**
 * Kafka's record batch, version 2, as a producer without transactions writes it. kafkajs can write these too, but takes
 * four times as long: it makes a zero-filled buffer of 512 bytes for each record and for each header.
 */

/** Offset, length, leader epoch, magic, checksum, attributes, last offset, two timestamps, producer, epoch, sequence, count. */
export const HEAD_BYTES = 61;
/** The batch's length counts from here, and its checksum covers what comes from there. */
const AFTER_LENGTH = 12;
const AFTER_CHECKSUM = 21;
const MAGIC = 2;
/** Attributes: not compressed, create time, no transaction. */
const PLAIN = 0;
/** No producer id, epoch and sequence: the writer is not idempotent. */
const NONE = -1;
/** A varint of 32 bits, at the longest. */
const VARINT_BYTES = 5;
/** One UTF-16 unit takes three bytes of UTF-8 at most. */
const UTF8_BYTES = 3;

const SPACE_BYTES = 65_536;
/** A batch has less than a megabyte, but for a single record that is larger. */
const MAX_KEPT_SPACE_BYTES = 4 * 1_048_576;

/** Grows as needed and is used again for each batch: nothing waits between the first byte and the last. */
let space = Buffer.allocUnsafe(SPACE_BYTES);
let at = 0;

const reserve = (bytes: number): void => {
  if (at + bytes <= space.length) return;
  const larger = Buffer.allocUnsafe(Math.max(space.length * 2, at + bytes));
  space.copy(larger, 0, 0, at);
  space = larger;
};

/** Zigzag, then seven bits a byte. */
const putVarint = (value: number): void => {
  let rest = ((value << 1) ^ (value >> 31)) >>> 0;
  while (rest > 0x7f) {
    space[at++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  space[at++] = rest;
};

/** Length and UTF-8. Short ASCII, which nearly everything here is, costs less in this loop than a call into the runtime. */
const putText = (text: string): void => {
  const start = at;
  const { length } = text;
  putVarint(length);
  const from = at;
  const bytes = space;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0x7f) {
      at = start;
      putVarint(Buffer.byteLength(text));
      at += space.write(text, at);
      return;
    }
    bytes[from + i] = code;
  }
  at = from + length;
};

const putBytes = (bytes: Buffer | null): void => {
  putVarint(bytes === null ? NONE : bytes.length);
  if (bytes === null) return;
  space.set(bytes, at);
  at += bytes.length;
};

const putHeader = ([name, value]: Header): void => {
  reserve(2 * VARINT_BYTES + UTF8_BYTES * (name.length + (value?.length ?? 0)));
  putText(name);
  if (typeof value === "string") putText(value);
  else putBytes(value);
};

/** For headers that go with many records. */
export const encodeHeaders = (headers: readonly Header[]): EncodedHeaders => {
  at = 0;
  headers.forEach(putHeader);
  return { count: headers.length, bytes: Buffer.from(space.subarray(0, at)) };
};

const putHeaders = (headers: readonly Header[], { count, bytes }: EncodedHeaders): void => {
  reserve(VARINT_BYTES + bytes.length);
  putVarint(count + headers.length);
  space.set(bytes, at);
  at += bytes.length;
  headers.forEach(putHeader);
};

const putRecord = (
  { key, value, headers, encodedHeaders = NO_HEADERS }: Outgoing,
  offsetDelta: number,
): void => {
  reserve(4 * VARINT_BYTES + 2 + (key?.length ?? 0) + (value?.length ?? 0));
  // The length comes first and is known last: the record is written behind the longest there is, then moved up to the one it has.
  const start = at;
  const body = start + VARINT_BYTES;
  at = body;
  space[at++] = 0; // attributes
  space[at++] = 0; // timestamp delta: all records of a batch have the batch's time
  putVarint(offsetDelta);
  putBytes(key);
  putBytes(value);
  putHeaders(headers, encodedHeaders);
  const end = at;
  at = start;
  putVarint(end - body);
  space.copyWithin(at, body, end);
  at += end - body;
};

/** Writes what depends on how the records in it are encoded: length, attributes and checksum. */
export const withChecksum = (batch: Buffer, attributes: number): Buffer => {
  batch.writeInt32BE(batch.length - AFTER_LENGTH, 8);
  batch.writeInt16BE(attributes, 21);
  batch.writeUInt32BE(crc32c(batch.subarray(AFTER_CHECKSUM)), 17);
  return batch;
};

/**
 * Not compressed.
 * @param timestampMs create time of each of the records
 */
export const recordBatch = (records: readonly Outgoing[], timestampMs: number): Buffer => {
  at = HEAD_BYTES;
  records.forEach(putRecord);
  const batch = Buffer.from(space.subarray(0, at));
  if (space.length > MAX_KEPT_SPACE_BYTES) space = Buffer.allocUnsafe(SPACE_BYTES);
  const timestamp = BigInt(timestampMs);
  batch.writeBigInt64BE(0n, 0); // the first offset, which the broker gives
  batch.writeInt32BE(NONE, 12); // leader epoch
  batch.writeInt8(MAGIC, 16);
  batch.writeInt32BE(records.length - 1, 23);
  batch.writeBigInt64BE(timestamp, 27);
  batch.writeBigInt64BE(timestamp, 35);
  batch.writeBigInt64BE(BigInt(NONE), 43); // producer id
  batch.writeInt16BE(NONE, 51); // producer epoch
  batch.writeInt32BE(NONE, 53); // first sequence
  batch.writeInt32BE(records.length, 57);
  return withChecksum(batch, PLAIN);
};
