import type { TraceContext } from "../../runtime/traces.ts";
import type { Header } from "../record.ts";
import { encodeHeaders } from "./record-batch.ts";

type CloudEventAttributes = {
  id: string;
  /** Left out where it is empty. */
  subject: string;
  timeMs: number;
  trace: TraceContext | null;
};

/** Leaves out headers without a value, because CloudEvents SDKs refuse empty attributes. */
export const withoutEmpty = (headers: readonly Header[]): Header[] =>
  headers.filter(([, value]) => value !== "");

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

/** The bridge itself as the source of an event: a URI reference. */
export const bridgeSource = (groupId: string): string => `/cambio-bridge/${encodeURIComponent(groupId)}`;

/** Headers of the CloudEvents Kafka protocol binding, binary mode. `source` is a URI reference. */
export const cloudEventHeaders = ({ type, source }: { type: string; source: string }) => ({
  /** Encoded once: the headers that all events of the writer share. */
  encodedHeaders: encodeHeaders([
    ["ce_specversion", "1.0"],
    ["ce_source", source],
    ["ce_type", type],
    ["content-type", "application/avro"],
  ]),
  headersOf: ({ id, subject, timeMs, trace }: CloudEventAttributes): Header[] => [
    ["ce_id", id],
    ["ce_time", new Date(timeMs).toISOString()],
    ...(subject === "" ? [] : [["ce_subject", subject] satisfies Header]),
    ...traceHeaders(trace),
  ],
});
