import { expect, test } from "vitest";
import { ownCopy, sizeOf } from "../../../../src/kafka/consume/own-copy.ts";

const fetched = Buffer.alloc(1_000_000, "x");
const record = {
  topic: "commands",
  partition: 0,
  offset: 7,
  timestampMs: 1,
  key: fetched.subarray(10, 20),
  value: fetched.subarray(100, 400),
  headers: { one: fetched.subarray(0, 5), more: [fetched.subarray(5, 7), "text"], none: undefined },
};

test("keeps nothing of what was fetched with it, and says the same", () => {
  const copy = ownCopy(record);
  expect(copy).toEqual(record);
  const parts = [copy.key, copy.value, copy.headers["one"], (copy.headers["more"] as Buffer[])[0]];
  for (const part of parts) expect((part as Buffer).buffer.byteLength).toBe((part as Buffer).length);
});

test("a record without key, value and headers stays one", () => {
  const bare = { ...record, key: null, value: null, headers: {} };
  expect(ownCopy(bare)).toEqual(bare);
  expect(sizeOf(record) - sizeOf(bare)).toBe(10 + 300 + 3 + 5 + 4 + 2 + 4 + 4);
});
