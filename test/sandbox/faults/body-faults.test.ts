import http from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { headers } from "../client.ts";
import { openSandbox } from "../open.ts";
import { eventually } from "../../support/eventually.ts";

/** Reads the log as it comes, of a sandbox with so many entries and one fault. */
const reading = async (fault: object, count = 1) => {
  const client = await openSandbox();
  await client.control("POST", "log", { count, from: "2026-01-05T12:00:00Z", to: "2026-01-06T12:00:00Z" });
  const whole = (await client.logs()).text;
  await client.control("POST", "faults", { operation: "logs", ...fault });
  const state = { text: "", ended: null as string | null, status: 0 };
  const request = http.get(`${client.url}/corporate/v1/webhook/logs`, { headers }, (response) => {
    state.status = response.statusCode ?? 0;
    response.setEncoding("latin1");
    response.on("data", (chunk: string) => (state.text += chunk));
    response.once("end", () => (state.ended = "whole"));
    response.once("error", () => (state.ended ??= "cut"));
  });
  request.once("error", () => (state.ended ??= "no answer"));
  onTestFinished(() => void request.destroy());
  return { state, whole, request };
};

test.each([
  [1, 100],
  [3000, 100],
  [1, 0],
])("a body of %i entries is cut off after %i bytes", async (count, bytes) => {
  const { state, whole } = await reading({ kind: "cut-body", bytes }, count);
  await eventually(() => state.ended !== null, "the end");
  expect(state).toEqual({ status: 200, ended: "cut", text: whole.slice(0, bytes) });
});

test("a body gets stuck after so many bytes, and its connection stays open", async () => {
  const { state, whole, request } = await reading({ kind: "stall-body", bytes: 50 });
  await eventually(() => state.text.length === 50, "the start");
  expect(state.text).toBe(whole.slice(0, 50));
  expect(state.ended).toBeNull();
  expect(request.destroyed).toBe(false);
});

test("a body that never ends goes on with the filler for as long as it is read", async () => {
  const { state } = await reading({ kind: "endless-body", bytes: 1, filler: '{"a":1},' });
  await eventually(() => state.text.length > 2_000_000, "two million bytes");
  expect(state.ended).toBeNull();
  expect(state.text.slice(0, 17)).toBe('[{"a":1},{"a":1},');
});
