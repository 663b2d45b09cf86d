import { expect, test } from "vitest";
import { eachHeader, headerValue, NO_HEADERS, traceOf } from "../../../src/kafka/headers.ts";
import { encodeHeaders } from "../../../src/kafka/produce/record-batch.ts";
import type { Header } from "../../../src/kafka/record.ts";

const texts = (bytes: Buffer, count: number): (string | undefined)[][] =>
  [...eachHeader({ bytes, count })].map(([name, value]) => [name.toString(), value?.toString()]);

test("the last one of a repeated header counts", () => {
  const headers = encodeHeaders([
    ["a", "1"],
    ["ab", "2"],
    ["a", "3"],
    ["gone", "4"],
    ["gone", null],
  ]);
  expect(headerValue(headers, "a")?.toString()).toBe("3");
  expect(headerValue(headers, "gone")).toBe(null);
  expect(headerValue(headers, "b")).toBe(null);
  expect(headerValue(NO_HEADERS, "a")).toBe(null);
});

test("any negative length is a null, as to Kafka", () => {
  expect(texts(Buffer.from([2, 0x61, 1]), 1)).toEqual([["a", undefined]]);
  expect(texts(Buffer.from([2, 0x61, 9, 2, 0x62, 0]), 2)).toEqual([
    ["a", undefined],
    ["b", ""],
  ]);
});

test("truncated headers, or a count that is too high, end the iteration", () => {
  expect(texts(Buffer.from([2, 0x61, 2]), 2 ** 31 - 1)).toEqual([["a", ""]]);
  expect(texts(Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f, 0x61]), 3)).toHaveLength(1);
  expect(texts(Buffer.alloc(0), 3)).toEqual([]);
});

const TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const OTHER = "00-1bf7651916cd43dd8448eb211c80319c-c7ad6b7169203331-01";
const traceIn = (headers: Readonly<Record<string, Header[1]>>) =>
  traceOf({ headers: encodeHeaders(Object.entries(headers)) });
const found = { traceparent: TRACE, tracestate: null };

test.each([
  [{ traceparent: TRACE }, found],
  [
    { traceparent: TRACE, tracestate: "a=1,b=2" },
    { ...found, tracestate: "a=1,b=2" },
  ],
  [{ ce_traceparent: TRACE }, found],
  [{ ce_traceparent: OTHER, traceparent: TRACE }, found],
  // It is copied into records, which it could make too large.
  [{ traceparent: TRACE, tracestate: "x".repeat(513) }, found],
  [{}, null],
])(
  "the trace context of a record is in its header, or else in the attribute of CloudEvents: %j",
  (headers, trace) => {
    expect(traceIn(headers)).toEqual(trace);
  },
);

test.each([null, "", "a b", "x".repeat(129), Buffer.from([0xff])])("%j is no trace context", (odd) => {
  expect(traceIn({ traceparent: odd })).toBeNull();
  expect(traceIn({ ce_traceparent: odd })).toBeNull();
});
