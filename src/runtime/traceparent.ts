/** A W3C trace context is named in 55 characters. What is much longer names none. */
const TRACEPARENT = /^[\x21-\x7e]{1,128}$/;
/** What others add to it, in as many characters as everybody has to carry. */
const TRACESTATE = /^[\x20-\x7e]{1,512}$/;

/** The trace context that a header holds; null for what cannot be one. It is repeated in records, which must not become too large by it. */
export const readTraceparent = (header: unknown): string | null =>
  typeof header === "string" && TRACEPARENT.test(header) ? header : null;

export const readTracestate = (header: unknown): string | null =>
  typeof header === "string" && TRACESTATE.test(header) ? header : null;
