import { headerValue } from "../../kafka/headers.ts";
import type { Incoming } from "../../kafka/record.ts";
import { type SpanStart, type TraceContext, type Traces, readTraceContext } from "../../runtime/traces.ts";

/** The W3C trace context in a record's headers, by its own name or by that of CloudEvents. */
export const traceOf = ({ headers }: Pick<Incoming, "headers">): TraceContext | null => {
  const text = (name: string): string | undefined => headerValue(headers, name)?.toString();
  const tracestate = text("tracestate");
  return (
    readTraceContext(text("traceparent"), tracestate) ?? readTraceContext(text("ce_traceparent"), tracestate)
  );
};

export const contextOf = ({
  traceparent,
  tracestate,
}: {
  traceparent: string | null;
  tracestate?: string | null | undefined;
}): TraceContext | null => (traceparent === null ? null : { traceparent, tracestate });

/** Anybody may name a trace: a span begins one of its own, with a link to the sender's. */
export const beginsAt = (
  { propagates }: Pick<Traces, "propagates">,
  context: TraceContext | null,
): Pick<SpanStart, "parent" | "link"> => ({ parent: null, link: propagates ? context : null });
