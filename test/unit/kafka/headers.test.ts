import { expect, test } from "vitest";
import { eachHeader, headerValue, NO_HEADERS } from "../../../src/kafka/headers.ts";
import { encodeHeaders } from "../../../src/kafka/produce/record-batch.ts";

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
