import { expect, it } from "vitest";
import { traceparentOf } from "../../../src/bridge/traceparent.ts";
import { encodeHeaders } from "../../../src/kafka/produce/record-batch.ts";

const TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const of = (traceparent: Buffer | string | null) =>
  traceparentOf({ headers: encodeHeaders([["traceparent", traceparent]]) });

it("is taken from the record's header", () => {
  expect(of(TRACE)).toBe(TRACE);
  expect(traceparentOf({ headers: encodeHeaders([]) })).toBeNull();
});

it("is none where it could not be one: it is repeated, and could make an entry or a result too large to be written", () => {
  for (const odd of [null, "", "a b", "x".repeat(129), Buffer.from([0xff])]) expect(of(odd)).toBeNull();
});
