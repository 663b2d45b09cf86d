import { expect, it } from "vitest";
import { traceOf } from "../../../src/kafka/trace-of.ts";
import { encodeHeaders } from "../../../src/kafka/produce/record-batch.ts";
import type { Header } from "../../../src/kafka/record.ts";

const TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const OTHER = "00-1bf7651916cd43dd8448eb211c80319c-c7ad6b7169203331-01";
const of = (...headers: Header[]) => traceOf({ headers: encodeHeaders(headers) });

it("is taken from the record's header", () => {
  expect(of(["traceparent", TRACE])).toEqual({ traceparent: TRACE, tracestate: null });
  expect(of(["traceparent", TRACE], ["tracestate", "a=1,b=2"])).toMatchObject({ tracestate: "a=1,b=2" });
  expect(of()).toBeNull();
});

it("is taken from the attribute of CloudEvents where Kafka's header is missing", () => {
  expect(of(["ce_traceparent", TRACE])).toMatchObject({ traceparent: TRACE });
  expect(of(["ce_traceparent", OTHER], ["traceparent", TRACE])).toMatchObject({ traceparent: TRACE });
});

it("is none where it could not be one: it is repeated, and could make an entry or a result too large to be written", () => {
  for (const odd of [null, "", "a b", "x".repeat(129), Buffer.from([0xff])]) {
    expect(of(["traceparent", odd])).toBeNull();
    expect(of(["ce_traceparent", odd])).toBeNull();
  }
  const odd = of(["traceparent", TRACE], ["tracestate", "x".repeat(513)]);
  expect(odd).toEqual({ traceparent: TRACE, tracestate: null });
});
