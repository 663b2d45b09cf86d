import { expect, test } from "vitest";
import { iso, isoOrNull, MAX_INSTANT_MS } from "../../../src/runtime/instant.ts";

test("an instant is written as ISO 8601, one that is out of range as the number", () => {
  expect(iso(Date.UTC(2026, 10, 23, 12, 30, 0, 7))).toBe("2026-11-23T12:30:00.007Z");
  expect(iso(MAX_INSTANT_MS)).toBe("+275760-09-13T00:00:00.000Z");
  expect(iso(MAX_INSTANT_MS + 1)).toBe("8640000000000001");
  expect(iso(-9e18)).toBe("-9000000000000000000");
  expect(iso(Number.NaN)).toBe("NaN");
  expect([isoOrNull(null), isoOrNull(0)]).toEqual([null, "1970-01-01T00:00:00.000Z"]);
});
