import { describe, expect, it } from "vitest";
import { MAX_RETRY_AFTER_MS, readRetryAfter } from "../../../../src/partner/calls/retry-after.ts";

const NOW = Date.parse("1994-11-06T08:49:30Z");

describe("readRetryAfter", () => {
  it.each([
    ["0", 0],
    ["2", 2_000],
    [" 120 ", 120_000],
    ["Sun, 06 Nov 1994 08:49:37 GMT", 7_000],
    ["Sunday, 06-Nov-94 08:49:37 GMT", 7_000],
    ["Sun Nov  6 08:49:37 1994", 7_000],
    ["Sun, 06 Nov 1994 08:49:00 GMT", 0],
    ["999999999999", MAX_RETRY_AFTER_MS],
    ["Sun, 06 Nov 2094 08:49:00 GMT", MAX_RETRY_AFTER_MS],
    ["", null],
    ["-1", null],
    ["1.5", null],
    ["soon", null],
    ["1994-11-06T08:49:37Z", null],
    ["Sun, 06 Nov 1994 08:49:37 -0300", null],
    ["Sun, 06 Xxx 1994 08:49:37 GMT", null],
  ])("%j is %s", (header, ms) => expect(readRetryAfter(header, NOW)).toBe(ms));

  it("takes the first of several, and nothing from none", () => {
    expect(readRetryAfter(["3", "5"], NOW)).toBe(3_000);
    expect(readRetryAfter(undefined, NOW)).toBeNull();
  });
});
