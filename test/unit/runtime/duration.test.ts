import { expect, test } from "vitest";
import { formatDuration } from "../../../src/runtime/duration.ts";

test.each([
  [0, "0 s"],
  [59_400, "59 s"],
  [60_000, "1 min 0 s"],
  [3_600_000, "1 h 0 min"],
  [90_000_000, "1 d 1 h"],
  [-5, "0 s"],
])("%d ms", (ms, words) => {
  expect(formatDuration(ms)).toBe(words);
});
