import { expect, test } from "vitest";
import { eachHeader } from "../../../../src/kafka/headers.ts";
import { cloudEventHeaders } from "../../../../src/kafka/produce/cloud-event.ts";

const { encodedHeaders, headersOf } = cloudEventHeaders({
  type: "some.Type",
  source: "https://partner.example",
});
const envelope = { id: "id-1", subject: "tx-1", timeMs: Date.parse("2026-11-21T12:00:00.5Z"), trace: null };
const traceparent = "00-1-2-01";

test("the attributes of CloudEvents 1.0 become headers of Kafka's binding", () => {
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

test.each([undefined, "", "a=1"])(
  "a trace becomes plain headers and an attribute, and what would be empty is left out: tracestate %j",
  (tracestate) => {
    const headers = headersOf({ ...envelope, subject: "", trace: { traceparent, tracestate } });
    expect(headers.filter(([name]) => name !== "ce_id" && name !== "ce_time")).toEqual([
      ["traceparent", traceparent],
      ["ce_traceparent", traceparent],
      ...(tracestate ? [["tracestate", tracestate]] : []),
    ]);
  },
);
