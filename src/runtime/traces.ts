/** A W3C trace context, as the headers of requests and records carry it. */
export type TraceContext = { traceparent: string; tracestate?: string | null | undefined };

/** A span that has begun. Pass it as the parent of the spans within it, and send its context to other systems. */
export type Span = TraceContext & {
  /** False when the span is not exported: its attributes need not be computed. */
  isSampled: boolean;
  /** @param errorType the `error.type` attribute, one of few values; null when the work succeeded */
  end: (attributes: SpanAttributes, errorType?: string | null) => void;
};

export type SpanAttributes = Readonly<Record<string, string | number | boolean | null | undefined>>;

export type SpanStart = {
  name: string;
  kind: "internal" | "server" | "client" | "producer" | "consumer";
  /** A span of this process; null begins a new trace. */
  parent: TraceContext | null;
  /** A span of another trace that caused this one; null for none. */
  link?: TraceContext | null;
};

export type Traces = {
  begin: (start: SpanStart) => Span;
  /** Whether trace contexts are read from incoming headers and written to outgoing ones. */
  propagates: boolean;
  /** Exports the spans that wait. Resolves in any case, also when the export fails. */
  close: () => Promise<void>;
};

type Carried = { traceparent: string | null; tracestate?: string | null | undefined };

export const contextOf = ({ traceparent, tracestate }: Carried): TraceContext | null =>
  traceparent === null ? null : { traceparent, tracestate };

/** Anybody may name a trace: a span begins one of its own, with a link to the sender's. */
export const beginsAt = (
  { propagates }: Pick<Traces, "propagates">,
  context: TraceContext | null,
): Pick<SpanStart, "parent" | "link"> => ({ parent: null, link: propagates ? context : null });

/** A W3C traceparent has 55 characters. A later version may be longer, within this bound. */
const TRACEPARENT = /^[\x21-\x7e]{1,128}$/;
/** W3C Trace Context asks everybody to propagate at least 512 characters. */
const TRACESTATE = /^[\x20-\x7e]{1,512}$/;

const matches = (pattern: RegExp, header: unknown): header is string =>
  typeof header === "string" && pattern.test(header);

/** The trace context of two headers; null when the first is none. Records hold them, so their lengths are bounded. */
export const readTraceContext = (traceparent: unknown, tracestate: unknown): TraceContext | null =>
  matches(TRACEPARENT, traceparent)
    ? { traceparent, tracestate: matches(TRACESTATE, tracestate) ? tracestate : null }
    : null;
