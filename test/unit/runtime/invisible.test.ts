import { expect, test } from "vitest";
import { escapeInvisible } from "../../../src/runtime/invisible.ts";

test.each([
  ["\u001b]0;owned\u0007", "\\u001b]0;owned\\u0007"],
  ["a\r\nb\u0085c\u009bd\u007f", "a\\u000d\\u000ab\\u0085c\\u009bd\\u007f"],
  ["\u202eright to left\u2066\ufeff", "\\u202eright to left\\u2066\\ufeff"],
  ["line\u2028paragraph\u2029", "line\\u2028paragraph\\u2029"],
  ["half \ud800 of a pair, and \u{e0001}", "half \\ud800 of a pair, and \\udb40\\udc01"],
  ["São Paulo 💱", "São Paulo 💱"],
])("%j is shown as %s", (text, shown) => {
  expect(escapeInvisible(text)).toBe(shown);
});

test("JSON stays the same JSON", () => {
  const value = { a: "\u0000\u009b\u202e\ud800\u{e0001}" };
  const line = escapeInvisible(JSON.stringify(value));
  expect(JSON.parse(line)).toEqual(value);
  expect(line).toMatch(/^[\x20-\x7e]+$/);
});
