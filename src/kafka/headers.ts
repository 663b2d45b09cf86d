import { readTraceContext, type TraceContext } from "../runtime/traces.ts";
import type { EncodedHeaders, Incoming } from "./record.ts";

export const NO_HEADERS: EncodedHeaders = { count: 0, bytes: Buffer.alloc(0) };

/** Names are bytes: no broker checks that they are UTF-8. */
export function* eachHeader({
  count,
  bytes,
}: EncodedHeaders): Generator<[name: Buffer, value: Buffer | null, end: number]> {
  let at = 0;
  const readLength = (): number => {
    let coded = 0;
    let byte = 0x80;
    for (let factor = 1; byte >= 0x80; factor *= 0x80) {
      byte = bytes[at++] ?? 0;
      coded += (byte & 0x7f) * factor;
    }
    return coded % 2 === 0 ? coded / 2 : -(coded + 1) / 2;
  };
  const readBytes = (): Buffer | null => {
    const length = readLength();
    if (length < 0) return null;
    at += length;
    return bytes.subarray(at - length, at);
  };
  for (let left = count; left > 0 && at < bytes.length; left -= 1)
    yield [readBytes() ?? Buffer.alloc(0), readBytes(), at];
}

/** The value of a header; the last one when it is repeated, as in Kafka's Java client. Null when absent or null. */
export const headerValue = (headers: EncodedHeaders, name: string): Buffer | null => {
  if (headers.count === 0) return null;
  const nameBytes = Buffer.from(name);
  let last: Buffer | null = null;
  for (const [each, value] of eachHeader(headers)) if (nameBytes.equals(each)) last = value;
  return last;
};

/** The W3C trace context in a record's headers, by its own name or by that of CloudEvents. */
export const traceOf = ({ headers }: Pick<Incoming, "headers">): TraceContext | null => {
  const text = (name: string): string | undefined => headerValue(headers, name)?.toString();
  const tracestate = text("tracestate");
  return (
    readTraceContext(text("traceparent"), tracestate) ?? readTraceContext(text("ce_traceparent"), tracestate)
  );
};
