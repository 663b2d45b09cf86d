import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { NO_HEADERS } from "../headers.ts";
import type { EncodedHeaders, Header, Outgoing } from "../record.ts";
import { crc32c } from "../crc32c.ts";

/**
 * Encodes Kafka's record batch, version 2, without idempotence or transactions. kafkajs's own encoder takes four times
 * as long: it allocates a zero-filled buffer of 512 bytes for each record and each header.
 */

/** The length of all fields from the offset to the count of records. */
export const HEADER_BYTES = 61;
/** The length field counts the bytes after itself, and the checksum covers the bytes after itself. */
const AFTER_LENGTH = 12;
const AFTER_CHECKSUM = 21;
const MAGIC = 2;
/** Attributes: not compressed, create time, no transaction. */
const UNCOMPRESSED = 0;
/** No producer id, epoch and sequence: the writer is not idempotent. */
const NONE = -1;
/** The longest varint of 32 bits. */
const VARINT_BYTES = 5;
/** A UTF-16 code unit takes at most three bytes of UTF-8. */
const UTF8_BYTES = 3;

const INITIAL_BUFFER_BYTES = 65_536;
/** Batches stay below a megabyte, except for a single record that is larger. */
const MAX_KEPT_BUFFER_BYTES = 4 * 1_048_576;

/** Shared by all batches, and grows as needed. Safe because encoding is synchronous. */
let buffer = Buffer.allocUnsafe(INITIAL_BUFFER_BYTES);
let cursor = 0;

const reserve = (bytes: number): void => {
  if (cursor + bytes <= buffer.length) return;
  const larger = Buffer.allocUnsafe(Math.max(buffer.length * 2, cursor + bytes));
  buffer.copy(larger, 0, 0, cursor);
  buffer = larger;
};

const putVarint = (value: number): void => {
  let rest = ((value << 1) ^ (value >> 31)) >>> 0;
  while (rest > 0x7f) {
    buffer[cursor++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  buffer[cursor++] = rest;
};

/** Length, then UTF-8. Nearly all texts are short ASCII, for which this loop is faster than Buffer.write. */
const putText = (text: string): void => {
  const start = cursor;
  const { length } = text;
  putVarint(length);
  const from = cursor;
  const bytes = buffer;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0x7f) {
      cursor = start;
      putVarint(Buffer.byteLength(text));
      cursor += buffer.write(text, cursor);
      return;
    }
    bytes[from + i] = code;
  }
  cursor = from + length;
};

const putBytes = (bytes: Buffer | null): void => {
  putVarint(bytes === null ? NONE : bytes.length);
  if (bytes === null) return;
  buffer.set(bytes, cursor);
  cursor += bytes.length;
};

const putHeader = ([name, value]: Header): void => {
  reserve(2 * VARINT_BYTES + UTF8_BYTES * (name.length + (value?.length ?? 0)));
  putText(name);
  if (typeof value === "string") putText(value);
  else putBytes(value);
};

/** Encodes headers once that many records share. */
export const encodeHeaders = (headers: readonly Header[]): EncodedHeaders => {
  cursor = 0;
  headers.forEach(putHeader);
  return { count: headers.length, bytes: Buffer.from(buffer.subarray(0, cursor)) };
};

const putHeaders = (headers: readonly Header[], { count, bytes }: EncodedHeaders): void => {
  reserve(VARINT_BYTES + bytes.length);
  putVarint(count + headers.length);
  buffer.set(bytes, cursor);
  cursor += bytes.length;
  headers.forEach(putHeader);
};

const putRecord = ({ key, value, headers, encodedHeaders = NO_HEADERS }: Outgoing, offsetDelta: number) => {
  reserve(4 * VARINT_BYTES + 2 + (key?.length ?? 0) + (value?.length ?? 0));
  // The body is written after the longest possible length, then moved to follow the actual one.
  const start = cursor;
  const body = start + VARINT_BYTES;
  cursor = body;
  buffer[cursor++] = 0; // attributes
  buffer[cursor++] = 0; // timestamp delta: all records of a batch have the batch's time
  putVarint(offsetDelta);
  putBytes(key);
  putBytes(value);
  putHeaders(headers, encodedHeaders);
  const end = cursor;
  cursor = start;
  putVarint(end - body);
  buffer.copyWithin(cursor, body, end);
  cursor += end - body;
};

const withChecksum = (batch: Buffer, attributes: number): Buffer => {
  batch.writeInt32BE(batch.length - AFTER_LENGTH, 8);
  batch.writeInt16BE(attributes, 21);
  batch.writeUInt32BE(crc32c(batch.subarray(AFTER_CHECKSUM)), 17);
  return batch;
};

/** @param timestampMs create time of all records */
export const recordBatch = (records: readonly Outgoing[], timestampMs: number): Buffer => {
  cursor = HEADER_BYTES;
  records.forEach(putRecord);
  const batch = Buffer.from(buffer.subarray(0, cursor));
  if (buffer.length > MAX_KEPT_BUFFER_BYTES) buffer = Buffer.allocUnsafe(INITIAL_BUFFER_BYTES);
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
  return withChecksum(batch, UNCOMPRESSED);
};

/** Attributes: compressed with gzip, create time, no transaction. */
const GZIP = 1;
const compress = promisify(gzip);

/** Compresses the records of a batch; gives the batch unchanged when that does not make it smaller. */
export const gzipBatch = async (batch: Buffer): Promise<Buffer> => {
  const records = await compress(batch.subarray(HEADER_BYTES));
  return HEADER_BYTES + records.length < batch.length
    ? withChecksum(Buffer.concat([batch.subarray(0, HEADER_BYTES), records]), GZIP)
    : batch;
};
