import { expect, test } from "vitest";
import { settingsFrom, type SandboxOptions } from "../../../src/sandbox/options.ts";

const signing = { scheme: "header", secret: "s", header: "X-Signature", prefix: "" } as const;

test.each<[string, SandboxOptions]>([
  ["timeScale", { timeScale: 0 }],
  ["timeScale", { timeScale: Infinity }],
  ["stepMs", { stepMs: -1 }],
  ["history", { history: 0.5 }],
  ["history", { history: NaN }],
  ["not an http", { webhookUrls: ["ftp://example.org"] }],
  ["secret", { signing: { ...signing, secret: "" } }],
  ["fit for an HTTP header", { signing: { ...signing, header: "X Signature" } }],
  ["fit for an HTTP header", { signing: { ...signing, secret: "two\nlines" } }],
])("a wrong option is refused with a sentence about %s", (what, options) => {
  expect(() => settingsFrom(options)).toThrow(RangeError);
  expect(() => settingsFrom(options)).toThrow(what);
});

test("without a seed every run has ids of its own; empty tokens check nothing", () => {
  expect(settingsFrom({}).seed).not.toBe(settingsFrom({}).seed);
  expect(settingsFrom({ accessToken: "", xToken: "" })).toMatchObject({ accessToken: null, xToken: null });
});
