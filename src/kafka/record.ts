import type { IHeaders } from "kafkajs";

export type Headers = IHeaders;

/** A record to be written. */
export type Outgoing = {
  key: Buffer | null;
  value: Buffer | null;
  headers: Headers;
  /** Headers besides, of other names: one object for all records of a writer, never changed, for it is encoded once. */
  common?: Readonly<Headers>;
};

/** Where a record stands once all in-sync replicas have it. */
export type Written = { partition: number; offset: number };

/** A record that was read. `timestampMs` is the broker's or the producer's, as the topic is configured. */
export type Incoming = {
  topic: string;
  partition: number;
  offset: number;
  timestampMs: number;
  key: Buffer | null;
  value: Buffer | null;
  headers: Headers;
};
