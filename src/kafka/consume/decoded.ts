import { NO_HEADERS } from "../headers.ts";
import type { EncodedHeaders, Incoming } from "../record.ts";

/** A record as kafkajs has decoded it; the part that is used here. */
export type DecodedRecord = {
  offset: string;
  timestamp: string;
  key: Buffer | null;
  value: Buffer | null;
  /** `kafkajs-fixes/whole-headers.ts` made them, so kafkajs's type does not apply. */
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
