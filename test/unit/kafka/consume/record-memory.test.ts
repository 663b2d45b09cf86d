import { expect, test } from "vitest";
import { ownCopy, recordBytes } from "../../../../src/kafka/consume/record-memory.ts";

const fetched = Buffer.alloc(1_000_000, "x");
const record = {
  topic: "commands",
  partition: 0,
  offset: 7,
  timestampMs: 1,
  key: fetched.subarray(10, 20),
  value: fetched.subarray(100, 400),
  headers: { count: 3, bytes: fetched.subarray(0, 18) },
};

test("a copy equals the record and shares no memory with the fetched bytes", () => {
  const copy = ownCopy(record);
  expect(copy).toEqual(record);
  for (const part of [copy.key, copy.value, copy.headers.bytes])
    expect(part?.buffer.byteLength).toBe(part?.length);
});

test("a record without key, value and headers is copied too", () => {
  const bare = { ...record, key: null, value: null, headers: { count: 0, bytes: Buffer.alloc(0) } };
  expect(ownCopy(bare)).toEqual(bare);
  expect(recordBytes(record) - recordBytes(bare)).toBe(10 + 300 + 18);
});
