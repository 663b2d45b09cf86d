/** One header to write. A string is written as UTF-8. */
export type Header = readonly [name: string, value: Buffer | string | null];

/** A record's wire format: an object would lose some headers, and a list takes a hundred times their size. */
export type EncodedHeaders = { readonly count: number; readonly bytes: Buffer };

export type Outgoing = {
  key: Buffer | null;
  value: Buffer | null;
  headers: readonly Header[];
  /** Written before `headers`: the headers of a record that is copied, or those that all records of a writer share. */
  encodedHeaders?: EncodedHeaders;
};

/** A record that was read. `timestampMs` is the broker's time or the producer's, as message.timestamp.type says. */
export type Incoming = {
  topic: string;
  partition: number;
  offset: number;
  timestampMs: number;
  key: Buffer | null;
  value: Buffer | null;
  headers: EncodedHeaders;
};
