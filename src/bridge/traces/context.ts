import { headerValue } from "../../kafka/headers.ts";
import type { Incoming } from "../../kafka/record.ts";
import { readTraceparent, readTracestate } from "../../runtime/traceparent.ts";
import type { SpanStart, TraceContext, Traces } from "../../runtime/traces.ts";

/** The W3C trace context that a record came with, as Kafka's clients name it or as CloudEvents do. */
export const traceOf = ({ headers }: Pick<Incoming, "headers">): TraceContext | null => {
  const text = (name: string): string | undefined => headerValue(headers, name)?.toString();
  const traceparent = readTraceparent(text("traceparent")) ?? readTraceparent(text("ce_traceparent"));
  return traceparent === null ? null : { traceparent, tracestate: readTracestate(text("tracestate")) };
};

/** The context that is named, if there is one. */
export const contextOf = ({
  traceparent,
  tracestate,
}: {
  traceparent: string | null;
  tracestate?: string | null | undefined;
}): TraceContext | null => (traceparent === null ? null : { traceparent, tracestate });

/** How a span begins that has to do with somebody else's: as a part of his trace where he is trusted, else of its own with a link. */
export const beginsAt = (
  { propagates }: Pick<Traces, "propagates">,
  context: TraceContext | null,
  trusted: boolean,
): Pick<SpanStart, "parent" | "isRemote" | "link"> => {
  const known = propagates ? context : null;
  return trusted ? { parent: known, isRemote: true } : { parent: null, link: known };
};
