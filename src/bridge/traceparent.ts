import { headerValue } from "../kafka/headers.ts";
import type { Incoming } from "../kafka/record.ts";

/** A trace is named in 55 characters. What is much longer names none: the journal and the result repeat it, and must not become too large by it. */
const TRACEPARENT = /^[\x21-\x7e]{1,128}$/;

/** The W3C trace context that a record came with. */
export const traceparentOf = ({ headers }: Pick<Incoming, "headers">): string | null => {
  const text = headerValue(headers, "traceparent")?.toString() ?? "";
  return TRACEPARENT.test(text) ? text : null;
};
