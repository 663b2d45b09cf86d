import type { TraceContext } from "../../runtime/traces.ts";
import type { EncodedHeaders, Header } from "../record.ts";
import { encodeHeaders } from "./record-batch.ts";

/** The CloudEvents 1.0 attributes that all events of a writer share. */
export type CloudEventKind = {
  type: string;
  /** A URI reference. */
  source: string;
};

/** The attributes of one event. */
export type CloudEventAttributes = {
  id: string;
  subject: string;
  timeMs: number;
  trace: TraceContext | null;
};

export type CloudEventHeaders = {
  /** Encoded once: the headers that all events of the writer share. */
  encodedHeaders: EncodedHeaders;
  headersOf: (envelope: CloudEventAttributes) => Header[];
};

/** The trace context of a record: as plain Kafka headers and as a CloudEvents attribute. */
export const traceHeaders = (trace: TraceContext | null): Header[] => {
  if (trace === null) return [];
  const { traceparent, tracestate } = trace;
  const headers: Header[] = [
    ["traceparent", traceparent],
    ["ce_traceparent", traceparent],
  ];
  if (tracestate) headers.push(["tracestate", tracestate]);
  return headers;
};

/** Headers of the CloudEvents Kafka protocol binding, binary mode. */
export const cloudEventHeaders = ({ type, source }: CloudEventKind): CloudEventHeaders => ({
  encodedHeaders: encodeHeaders([
    ["ce_specversion", "1.0"],
    ["ce_source", source],
    ["ce_type", type],
    ["content-type", "application/avro"],
  ]),
  headersOf: ({ id, subject, timeMs, trace }) => [
    ["ce_id", id],
    ["ce_time", new Date(timeMs).toISOString()],
    ["ce_subject", subject],
    ...traceHeaders(trace),
  ],
});
