import { expect, test } from "vitest";
import { endOf, pastMs, webhookUrl } from "../../../src/cli/option-values.ts";

test("a time that is over is an instant, a day in UTC, or how long ago; an end an instant or a duration", () => {
  expect(pastMs("2026-01-02T03:04:05-03:00")).toBe(Date.UTC(2026, 0, 2, 6, 4, 5));
  expect(pastMs("2026-01-02")).toBe(Date.UTC(2026, 0, 2));
  for (const [text, ms] of [["24h", 86_400_000] as const, ["7d", 7 * 86_400_000] as const])
    expect(Math.abs(Date.now() - ms - pastMs(text))).toBeLessThan(5_000);
  expect(endOf("2099-01-01T00:00:00-03:00")).toEqual({ untilMs: Date.UTC(2099, 0, 1, 3) });
  expect(endOf("30m")).toEqual({ forMs: 1_800_000 });
});

test.each([
  [pastMs, ["", "yesterday", "2026-02-30", "2026-01-02T03:04:05", "5 h", "-1h", "1w"]],
  [
    webhookUrl,
    ["bridge.example/hook", "ftp://bridge.example", "https://bridge.example/#x", "https://a b/", ""],
  ],
] as const)("%o takes nothing else", (read, texts) => {
  for (const text of texts) expect(() => read(text), text).toThrow();
});
