import type { TraceContext } from "./traces.ts";

/** A W3C traceparent has 55 characters. A later version may be longer, within this bound. */
const TRACEPARENT = /^[\x21-\x7e]{1,128}$/;
/** W3C Trace Context asks everybody to propagate at least 512 characters. */
const TRACESTATE = /^[\x20-\x7e]{1,512}$/;

const matches = (pattern: RegExp, header: unknown): header is string =>
  typeof header === "string" && pattern.test(header);

/**
 * The trace context of two headers; null when the first cannot be a traceparent. The lengths are bounded
 * because they are copied into records.
 */
export const readTraceContext = (traceparent: unknown, tracestate: unknown): TraceContext | null =>
  matches(TRACEPARENT, traceparent)
    ? { traceparent, tracestate: matches(TRACESTATE, tracestate) ? tracestate : null }
    : null;
