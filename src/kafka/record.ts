/** One header to be written. A text stands for its UTF-8. */
export type Header = readonly [name: string, value: Buffer | string | null];

/**
 * Headers as they stand in a record of Kafka: in their order, repeated names and nulls and bytes that are no text included. Nothing is made of
 * them but by `headers.ts`: an object loses some of them, and a list of a hundred thousand costs a hundred times their size.
 */
export type EncodedHeaders = { readonly count: number; readonly bytes: Buffer };

/** A record to be written. */
export type Outgoing = {
  key: Buffer | null;
  value: Buffer | null;
  headers: readonly Header[];
  /** Headers in front of these: those of a record that is repeated, or what all records of a writer have in common. */
  encodedHeaders?: EncodedHeaders;
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
  headers: EncodedHeaders;
};
