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

/**
 * How a span relates to the sender's context: as its child if the sender is trusted, else as a new trace with
 * a link.
 */
export const beginsAt = (
  { propagates }: Pick<Traces, "propagates">,
  context: TraceContext | null,
  trusted: boolean,
): Pick<SpanStart, "parent" | "isRemote" | "link"> => {
  const known = propagates ? context : null;
  return trusted ? { parent: known, isRemote: true } : { parent: null, link: known };
};
