import { expect, test } from "vitest";
import { expiresSoon } from "../../../src/doctor/connection.ts";

const HOUR_MS = 3_600_000;
const NOW_MS = Date.UTC(2026, 0, 5, 12);
const soon = (hours: number): string | null => expiresSoon(NOW_MS + hours * HOUR_MS, { now: () => NOW_MS });

test.each([
  [1, "its certificate expires within a day, on 2026-01-05"],
  [25, "its certificate expires in 1 day, on 2026-01-06"],
  [60, "its certificate expires in 2 days, on 2026-01-08"],
  [22 * 24, null],
])("a certificate that expires in %i hours", (hours, sentence) => {
  expect(soon(hours)).toBe(sentence);
});
