/*
 * kafkajs 2.2.4 makes an object of a record's headers: their order is lost, and names that are no UTF-8. It copies that
 * object for each header: a record of 69 KB with ten thousand headers blocked the process for 53 s.
 * Mended when "whole-headers.ts" in faults.test.ts fails.
 */
import { NO_HEADERS } from "../headers.ts";
import type { EncodedHeaders, Incoming } from "../record.ts";
import { replaceModule } from "./replace-module.ts";

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

/**
 * With LogAppendTime the batch's timestamp counts for all its records. The record's own is skipped, because decoding
 * it is slow.
 */
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

/** Makes kafkajs hand over headers as bytes. */
export const readWholeHeaders = (): void => {
  replaceModule<DecodeRecord>(
    "recordBatch/record/v0/decoder",
    ["recordBatch/v0/decoder"],
    () => decodeRecord,
  );
};

/** A record as kafkajs has decoded it; the part that is used here. */
export type DecodedRecord = {
  offset: string;
  timestamp: string;
  key: Buffer | null;
  value: Buffer | null;
  /** `decodeRecord` made them, so kafkajs's type does not apply. */
  headers?: object | undefined;
};

export const incomingOf = (topic: string, partition: number, record: DecodedRecord): Incoming => ({
  topic,
  partition,
  offset: Number(record.offset),
  timestampMs: Number(record.timestamp),
  key: record.key,
  value: record.value,
  headers: (record.headers as EncodedHeaders | undefined) ?? NO_HEADERS,
});
