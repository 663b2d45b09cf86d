import { expect, test } from "vitest";
import { eachHeader } from "../../../../src/kafka/headers.ts";
import { envelopeHeaders } from "../../../../src/kafka/produce/envelope.ts";

const kind = { type: "some.Type", source: "https://partner.example" };
const envelope = {
  id: "id-1",
  subject: "tx-1",
  timeMs: Date.parse("2026-11-21T12:00:00.5Z"),
  traceparent: null,
};

test("the attributes of CloudEvents 1.0 become headers of Kafka's binding", () => {
  const { encodedHeaders, headersOf } = envelopeHeaders(kind);
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

test("a trace context goes along under its own name", () => {
  const { headersOf } = envelopeHeaders(kind);
  expect(headersOf({ ...envelope, traceparent: "00-1-2-01" })).toContainEqual(["traceparent", "00-1-2-01"]);
});
