import { expect, test } from "vitest";
import { eachHeader } from "../../../../src/kafka/headers.ts";
import { cloudEventHeaders } from "../../../../src/kafka/produce/cloud-event.ts";
import type { TraceContext } from "../../../../src/runtime/traces.ts";

const kind = { type: "some.Type", source: "https://partner.example" };
const envelope = {
  id: "id-1",
  subject: "tx-1",
  timeMs: Date.parse("2026-11-21T12:00:00.5Z"),
  trace: null,
};

test("the attributes of CloudEvents 1.0 become headers of Kafka's binding", () => {
  const { encodedHeaders, headersOf } = cloudEventHeaders(kind);
  const inCommon = [...eachHeader(encodedHeaders)].map(([name, value]) => [String(name), String(value)]);
  expect(Object.fromEntries([...inCommon, ...headersOf(envelope)])).toEqual({
    ce_specversion: "1.0",
    ce_id: "id-1",
    ce_source: "https://partner.example",
    ce_type: "some.Type",
    ce_time: "2026-11-21T12:00:00.500Z",
    ce_subject: "tx-1",
    "content-type": "application/avro",
  });
});

test("a trace context becomes plain headers and a CloudEvents attribute", () => {
  const { headersOf } = cloudEventHeaders(kind);
  const named = (trace: TraceContext) =>
    Object.fromEntries(headersOf({ ...envelope, trace }).filter(([name]) => name.includes("trace")));
  const traceparent = "00-1-2-01";
  expect(named({ traceparent, tracestate: "a=1" })).toEqual({
    traceparent,
    ce_traceparent: traceparent,
    tracestate: "a=1",
  });
  expect(named({ traceparent })).toEqual({ traceparent, ce_traceparent: traceparent });
});

test("what would be empty is left out", () => {
  const { headersOf } = cloudEventHeaders(kind);
  const names = headersOf({ ...envelope, subject: "", trace: { traceparent: "00-1-2-01", tracestate: "" } });
  expect(names.map(([name]) => name)).toEqual(["ce_id", "ce_time", "traceparent", "ce_traceparent"]);
});
