import { headerValue } from "../kafka/headers.ts";
import type { Incoming } from "../kafka/record.ts";
import { readTraceparent } from "../runtime/traceparent.ts";

/** The W3C trace context that a record came with. */
export const traceparentOf = ({ headers }: Pick<Incoming, "headers">): string | null =>
  readTraceparent(headerValue(headers, "traceparent")?.toString());
