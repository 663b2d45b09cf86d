import { expect, test } from "vitest";
import { isoTimes } from "../../../src/runtime/iso-time.ts";

const SECOND = Date.UTC(2026, 10, 21, 12, 0, 59);

test.each([
  SECOND,
  SECOND + 7,
  SECOND + 999,
  SECOND + 1_000,
  SECOND - 1,
  0,
  -1,
  -1_000,
  8.64e15,
  -8.64e15,
  Date.UTC(9999, 11, 31, 23, 59, 59, 999),
  Date.UTC(10_000, 0, 1),
])("%d is written as toISOString writes it, alone and after a neighbour", (atMs) => {
  const alone = isoTimes();
  expect(alone(atMs)).toBe(new Date(atMs).toISOString());
  const after = isoTimes();
  after(SECOND);
  expect(after(atMs)).toBe(new Date(atMs).toISOString());
  expect(after(SECOND + 500)).toBe(new Date(SECOND + 500).toISOString());
});

test("where no date is, it throws a RangeError and goes on", () => {
  const text = isoTimes();
  expect(() => text(8.64e15 + 1_000)).toThrow(RangeError);
  expect(() => text(Number.NaN)).toThrow(RangeError);
  expect(text(SECOND)).toBe(new Date(SECOND).toISOString());
});
