import type { EachBatchPayload } from "kafkajs";
import { NO_HEADERS } from "../headers.ts";
import type { EncodedHeaders, Incoming } from "../record.ts";
import { replaceModule } from "../replace-module.ts";

/** kafkajs's decoder of protocol types, over the bytes of one record. */
type Decoder = {
  readonly buffer: Buffer;
  offset: number;
  readInt8(): number;
  readVarInt(): number;
  readVarLong(): { toString(): string };
};

/** The fields of kafkajs's record batch that are used here. */
type Batch = {
  magicByte?: number;
  firstOffset: string;
  firstTimestamp: string;
  maxTimestamp: string;
  timestampType: number;
  isControlBatch?: boolean;
};

type Decoded = { headers: EncodedHeaders };
type DecodeRecord = (decoder: Decoder, batch: Batch) => Decoded;

const LOG_APPEND_TIME = 1;

/** Kafka takes any negative length for null; kafkajs only -1. */
const readBytes = (decoder: Decoder): Buffer | null => {
  const length = decoder.readVarInt();
  if (length < 0) return null;
  decoder.offset += length;
  return decoder.buffer.subarray(decoder.offset - length, decoder.offset);
};

/** With LogAppendTime the batch's timestamp counts for all its records. The record's own is skipped, because decoding it is slow. */
const readTimestamp = (decoder: Decoder, batch: Batch): string => {
  if (batch.timestampType !== LOG_APPEND_TIME)
    return String(BigInt(batch.firstTimestamp) + BigInt(decoder.readVarLong().toString()));
  // The last byte of a varint has no high bit.
  while (decoder.readInt8() < 0);
  return batch.maxTimestamp;
};

/** Decodes a record of a version 2 batch: attributes, timestamp, offset, key, value, headers. */
export const decodeRecord = (decoder: Decoder, batch: Batch) => {
  const attributes = decoder.readInt8();
  const timestamp = readTimestamp(decoder, batch);
  const offset = String(Number(batch.firstOffset) + decoder.readVarInt());
  const key = readBytes(decoder);
  const value = readBytes(decoder);
  const count = decoder.readVarInt();
  const headers = count > 0 ? { count, bytes: decoder.buffer.subarray(decoder.offset) } : NO_HEADERS;
  const isControlRecord = batch.isControlBatch ?? false;
  const { magicByte } = batch;
  return {
    magicByte,
    attributes,
    timestamp,
    offset,
    key,
    value,
    headers,
    isControlRecord,
    batchContext: batch,
  };
};

let done = false;

/**
 * Makes kafkajs hand over headers as bytes. Its own decoder makes an object of them, which loses their order and names that are not UTF-8.
 * It also copies the object for each header: a record of 69 KB with ten thousand headers blocked the process for 53 s.
 */
export const readWholeHeaders = (): void => {
  if (done) return;
  replaceModule<DecodeRecord>(
    "recordBatch/record/v0/decoder",
    ["recordBatch/v0/decoder"],
    () => decodeRecord,
  );
  done = true;
};

/** The headers of a kafkajs message. `decodeRecord` made them, so kafkajs's type does not apply. */
export const headersOf = ({ headers }: { headers?: object | undefined }): EncodedHeaders =>
  (headers as EncodedHeaders | undefined) ?? NO_HEADERS;

/** The records of a kafkajs batch. */
export const recordsOf = ({ batch }: EachBatchPayload): Incoming[] =>
  batch.messages.map((message) => ({
    topic: batch.topic,
    partition: batch.partition,
    offset: Number(message.offset),
    timestampMs: Number(message.timestamp),
    key: message.key,
    value: message.value,
    headers: headersOf(message),
  }));

/** The offset at which the fetch began. kafkajs's types lack it. */
export const askedFor = ({ batch }: EachBatchPayload): number =>
  Number((batch as typeof batch & { fetchedOffset: string }).fetchedOffset);

/** Tells which offsets hold transaction markers or aborted records, which are for nobody. kafkajs's types lack them. */
export const isHiddenIn =
  ({ batch }: EachBatchPayload) =>
  (start: number, end: number): boolean => {
    type Raw = { messagesWithinOffset: readonly { offset: string; isControlRecord: boolean }[] };
    const all = (batch as typeof batch & Raw).messagesWithinOffset;
    const hidden = new Set(all.map(({ offset, isControlRecord }) => (isControlRecord ? Number(offset) : -1)));
    for (let at = start; at < end; at += 1) if (!hidden.has(at)) return false;
    return true;
  };
