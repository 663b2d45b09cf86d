import type { EachBatchPayload } from "kafkajs";
import { NO_HEADERS } from "../headers.ts";
import type { EncodedHeaders, Incoming } from "../record.ts";
import { replaceModule } from "../replace-module.ts";

/** kafkajs's reader of protocol types, over the bytes of one record. */
type Decoder = {
  readonly buffer: Buffer;
  offset: number;
  readInt8(): number;
  readVarInt(): number;
  readVarLong(): { toString(): string };
};

/** What kafkajs tells of a record's batch: as much as is used here. */
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

/** Any negative length is a null to Kafka; to kafkajs only -1 is. */
const readBytes = (decoder: Decoder): Buffer | null => {
  const length = decoder.readVarInt();
  if (length < 0) return null;
  decoder.offset += length;
  return decoder.buffer.subarray(decoder.offset - length, decoder.offset);
};

/** Where the broker's time stands for the whole batch, the record's own is only passed over: reading it takes long. */
const readTimestamp = (decoder: Decoder, batch: Batch): string => {
  if (batch.timestampType !== LOG_APPEND_TIME)
    return String(BigInt(batch.firstTimestamp) + BigInt(decoder.readVarLong().toString()));
  // The last byte of a varint is the one without its high bit.
  while (decoder.readInt8() < 0);
  return batch.maxTimestamp;
};

/** A record of a batch of version 2: attributes, timestamp, offset, key, value, and the headers up to its end. */
export const decodeRecord = (decoder: Decoder, batch: Batch) => {
  const attributes = decoder.readInt8();
  const timestamp = readTimestamp(decoder, batch);
  const offset = String(Number(batch.firstOffset) + decoder.readVarInt());
  const key = readBytes(decoder);
  const value = readBytes(decoder);
  const headers = { count: decoder.readVarInt(), bytes: decoder.buffer.subarray(decoder.offset) };
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
 * Teaches kafkajs to hand over headers as they are. Its own decoder makes an object of them: their order and names that are no UTF-8 are lost.
 * And it copies the object for each header: a record of 69 KB with ten thousand of them stopped the process for 53 s.
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

/** The headers of a message that kafkajs hands over: what `decodeRecord` made of them, whatever its types say. */
export const headersOf = ({ headers }: { headers?: object | undefined }): EncodedHeaders =>
  (headers as EncodedHeaders | undefined) ?? NO_HEADERS;

/** The records of a batch that kafkajs has read. */
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

/** The offset that a fetch began at. kafkajs's types do not name it. */
export const askedFor = ({ batch }: EachBatchPayload): number =>
  Number((batch as typeof batch & { fetchedOffset: string }).fetchedOffset);
