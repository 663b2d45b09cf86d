import { describe, expect, test } from "vitest";
import { compactJson } from "../../../src/log-to-events/compact-json.ts";
import { readShape } from "../../../src/log-to-events/answer-shape.ts";
import { bytesOf, change, everySplit } from "./answers.ts";

const shape = (answer: unknown, headers = {}) =>
  readShape(bytesOf(typeof answer === "string" ? answer : JSON.stringify(answer)), headers, 1_048_576);
const lines = async (answer: unknown): Promise<string[]> => (await shape(answer)).lines;

test("the shape has the pointers, the types, and the lengths of arrays", async () => {
  const answer = {
    data: {
      logs: [
        { id: 7, payload: change, attempts: [] },
        { id: "x", payload: null, attempts: [1, 2, true] },
      ],
    },
    meta: { total: 2, next: null },
  };
  expect(await shape(answer)).toEqual({
    fault: null,
    lines: [
      "(the answer): object",
      "/data: object",
      "/data/logs: array of 2",
      "/data/logs/*: object",
      "/data/logs/*/id: number or string",
      "/data/logs/*/payload: object or null",
      "/data/logs/*/payload/createdAt: string",
      "/data/logs/*/payload/status: string",
      "/data/logs/*/payload/transactionId: string",
      "/data/logs/*/attempts: array of 0 to 3",
      "/data/logs/*/attempts/*: number or boolean",
      "/meta: object",
      "/meta/total: number",
      "/meta/next: null",
    ],
  });
});

test("JSON in strings is looked into", async () => {
  expect(await lines([{ body: JSON.stringify({ data: [change] }) }, { body: "{no" }])).toEqual([
    "(the answer): array of 2",
    "/*: object",
    "/*/body: string of JSON or object or string",
    "/*/body/data: array of 1",
    "/*/body/data/*: object",
    "/*/body/data/*/createdAt: string",
    "/*/body/data/*/status: string",
    "/*/body/data/*/transactionId: string",
  ]);
});

test("the same wherever the stream is broken into chunks", async () => {
  const answer = '{"é":[1,"a",{"b":{}}],"c":"[{\\"d\\":null}]"}';
  const whole = await shape(answer);
  expect(whole.lines).toHaveLength(7);
  for (const chunks of everySplit(answer))
    expect(await readShape(bytesOf(...chunks), {}, 100)).toEqual(whole);
});

describe("nothing that may be an id or a value is shown", () => {
  test.each([
    "6c1c5a9e-0000-4000-8000-000000000001",
    "deadbeefdeadbeef",
    "12345",
    "tx-1234",
    "2026-11-21",
    "someone@example.test",
    "a/b",
    "\u001b[31m",
    "x".repeat(61),
    "",
  ])("%j", async (name) => {
    expect(await lines({ [name]: { status: "secret", count: 42 } })).toEqual([
      "(the answer): object",
      "/<name>: object",
      "/<name>/status: string",
      "/<name>/count: number",
    ]);
  });

  test.each([
    "createdAt",
    "created_at",
    "_id",
    "@odata.nextLink",
    "address1",
    "sha256",
    "situação",
    "event type",
  ])("%s is a name", async (name) => {
    expect(await lines({ [name]: 1 })).toEqual(["(the answer): object", `/${name}: number`]);
  });

  test("an object of many names is a map, whatever they are", async () => {
    const words = Array.from({ length: 300 }, (_, nth) =>
      String.fromCharCode(97 + (nth % 26), 97 + Math.floor(nth / 26), 120),
    );
    const map = Object.fromEntries(words.map((word) => [word, { status: "A" }]));
    expect(await lines({ byCustomer: map })).toEqual([
      "(the answer): object",
      "/byCustomer: object",
      "/byCustomer/<name>: object",
      "/byCustomer/<name>/status: string",
    ]);
  });
});

test("separated values have a shape, too", async () => {
  const csv = { "content-type": "text/csv", "content-length": "36" };
  expect(await shape("transactionId;status\ntx-1;A\ntx-2;B\n", csv)).toEqual({
    fault: null,
    lines: ["(the answer): array of 2", "/*: object", "/*/transactionId: string", "/*/status: string"],
  });
  const unframed = { "content-type": "text/csv" };
  expect(await shape("transactionId;status\ntx-1;A\ntx-2;", unframed)).toEqual({
    fault: "unframed",
    lines: ["(the answer): array of 1", "/*: object", "/*/transactionId: string", "/*/status: string"],
  });
});

test("what came before a fault is shown", async () => {
  expect(await shape('{"logs":[{"a":1},')).toEqual({
    fault: "invalid",
    lines: ["(the answer): object", "/logs: array", "/logs/*: object", "/logs/*/a: number"],
  });
  expect(await shape("")).toEqual({ fault: "empty", lines: [] });
  expect(await shape("<html>")).toEqual({ fault: "invalid", lines: [] });
});

test("hostile answers are bounded", async () => {
  // Each object has other names than the one before: places are counted over all of them.
  const names = (depth: number): string =>
    depth === 0
      ? "1"
      : `{${Array.from({ length: 26 }, (_, nth) => `"${String.fromCharCode(97 + nth)}":${names(depth - 1)}`).join(",")}}`;
  const wide = await shape(names(4));
  expect(wide.lines.length).toBeLessThanOrEqual(10_000);
  expect((await shape("[".repeat(1_000))).fault).toBe("too deep");
  let text = "1";
  for (let depth = 0; depth < 12; depth++) text = JSON.stringify([text]);
  expect((await lines(text)).length).toBeLessThan(14);
});

describe("one line", () => {
  test.each([
    ['[ 1 ,\n\t"a  b\\" c" ,\r\n{ "d e" : null } ]', '[1,"a  b\\" c",{"d e":null}]'],
    ['"  "', '"  "'],
    ['{"a\\\\" : "\\\\ \\n" }', '{"a\\\\":"\\\\ \\n"}'],
    ["  12345678901234567890.10  ", "12345678901234567890.10"],
  ])("%j", (json, expected) => {
    expect(compactJson(json)).toBe(expected);
  });

  test("a long one", () => {
    const long = JSON.stringify({ a: "\\\n ".repeat(300_000) });
    expect(compactJson(` ${long} `)).toBe(long);
  });
});
