/** A W3C traceparent has 55 characters. A later version may be longer, within this bound. */
const TRACEPARENT = /^[\x21-\x7e]{1,128}$/;
/** W3C Trace Context asks everybody to propagate at least 512 characters. */
const TRACESTATE = /^[\x20-\x7e]{1,512}$/;

/**
 * A traceparent header; null when it cannot be one. Its length is bounded because it is copied into records.
 */
export const readTraceparent = (header: unknown): string | null =>
  typeof header === "string" && TRACEPARENT.test(header) ? header : null;

export const readTracestate = (header: unknown): string | null =>
  typeof header === "string" && TRACESTATE.test(header) ? header : null;
