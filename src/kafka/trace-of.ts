import { readTraceContext, type TraceContext } from "../runtime/traces.ts";
import { headerValue } from "./headers.ts";
import type { Incoming } from "./record.ts";

/** The W3C trace context in a record's headers, by its own name or by that of CloudEvents. */
export const traceOf = ({ headers }: Pick<Incoming, "headers">): TraceContext | null => {
  const text = (name: string): string | undefined => headerValue(headers, name)?.toString();
  const tracestate = text("tracestate");
  return (
    readTraceContext(text("traceparent"), tracestate) ?? readTraceContext(text("ce_traceparent"), tracestate)
  );
};
