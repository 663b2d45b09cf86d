import type { TraceContext } from "../../runtime/traces.ts";
import type { EncodedHeaders, Header } from "../record.ts";
import { encodeHeaders } from "./record-batch.ts";

/** What all CloudEvents 1.0 events of a writer have in common. */
export type CloudEventKind = {
  type: string;
  /** A URI reference. */
  source: string;
};

/** Context attributes of one event. */
export type CloudEventAttributes = {
  id: string;
  subject: string;
  timeMs: number;
  trace: TraceContext | null;
};

export type CloudEventHeaders = {
  /** What all events of the writer have in common. */
  encodedHeaders: EncodedHeaders;
  headersOf: (envelope: CloudEventAttributes) => Header[];
};

/** The trace that a record is of, for readers of Kafka's headers and for those of CloudEvents' attributes. */
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

/** Header names and values of the CloudEvents Kafka binding in binary mode. */
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
