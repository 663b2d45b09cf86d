import type { EncodedHeaders, Header } from "../record.ts";
import { encodeHeaders } from "./record-batch.ts";

/** What all CloudEvents 1.0 events of a writer have in common. */
export type EventKind = {
  type: string;
  /** A URI reference. */
  source: string;
};

/** Context attributes of one event. */
export type Envelope = {
  id: string;
  subject: string;
  timeMs: number;
  /** W3C trace context, where there is one. */
  traceparent: string | null;
};

export type EnvelopeHeaders = {
  /** What all events of the writer have in common. */
  encodedHeaders: EncodedHeaders;
  headersOf: (envelope: Envelope) => Header[];
};

/** Header names and values of the CloudEvents Kafka binding in binary mode. */
export const envelopeHeaders = ({ type, source }: EventKind): EnvelopeHeaders => ({
  encodedHeaders: encodeHeaders([
    ["ce_specversion", "1.0"],
    ["ce_source", source],
    ["ce_type", type],
    ["content-type", "application/avro"],
  ]),
  headersOf: ({ id, subject, timeMs, traceparent }) => {
    const headers: Header[] = [
      ["ce_id", id],
      ["ce_time", new Date(timeMs).toISOString()],
      ["ce_subject", subject],
    ];
    if (traceparent !== null) headers.push(["traceparent", traceparent]);
    return headers;
  },
});
