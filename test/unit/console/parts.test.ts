import { describe, expect, test } from "vitest";
import { createOutcomes } from "../../../src/console/forms/outcomes.ts";
import { createTokens, TOKEN_MS } from "../../../src/console/forms/tokens.ts";
import { prettyJson } from "../../../src/runtime/pretty-json.ts";
import { statusLine } from "../../../src/console/pages/history/status-line.ts";
import type { PublishedStatus } from "../../../src/console/ports.ts";

const seen = (status: string, occurredAtMs: number): PublishedStatus => ({
  status,
  stage: "IN_PROGRESS",
  occurredAtMs,
  receivedAtMs: 0,
  source: "WEBHOOK",
  outOfOrder: false,
  eventId: status,
  place: { topic: "t", partition: 0, offset: 0 },
  payload: "",
});

const line = (main: string[], statuses: PublishedStatus[]) =>
  statusLine(main, statuses).map(
    ({ status, isMain, seen, isLatest }) =>
      `${isMain ? "" : "+"}${status}${seen.length || ""}${isLatest ? "*" : ""}`,
  );

describe("the line of a transaction", () => {
  test("a status beside the main flow stands where it happened, in whatever order the events came", () => {
    expect(
      line(["A", "B", "C"], [seen("B", 20), seen("X", 15), seen("A", 10), seen("X", 25), seen("Y", 5)]),
    ).toEqual(["+Y1", "A1", "+X1", "B1", "+X1*", "C"]);
  });
  test("without a main flow statuses are in order of time, each once", () => {
    expect(line([], [seen("A", 1), seen("B", 2), seen("A", 3)])).toEqual(["+A2*", "+B1"]);
  });
  test("nothing came", () => {
    expect(line(["A", "B"], [])).toEqual(["A", "B"]);
  });
});

describe("pretty JSON", () => {
  test.each([
    ["1", "1"],
    ["[ ]", "[]"],
    ['"a,b:{"', '"a,b:{"'],
    ['{"a":"\\"}"}', '{\n  "a": "\\"}"\n}'],
    ["[1,[2]]", "[\n  1,\n  [\n    2\n  ]\n]"],
  ])("%s", (given, pretty) => {
    expect(prettyJson(given, 0, 100)).toEqual({ text: pretty, whole: pretty.length });
  });
  test.each(["", "{", "[1,]", "tru", "{'a':1}"])("%j is none", (given) => {
    expect(prettyJson(given, 0, 100)).toBeNull();
  });
  test("deep levels stay on one line, so that indentation stays bounded", () => {
    const deep = `${"[".repeat(100_000)}1,2${"]".repeat(100_000)}`;
    const { text, whole } = prettyJson(deep, 0, 1_000_000)!;
    expect(text).toContain(`\n${"  ".repeat(32)}${"[".repeat(99_968)}1,2${"]".repeat(99_968)}\n`);
    expect(whole).toBe(text.length);
    expect(text.length).toBeLessThan(deep.length + 32 * 2 * 66);
  });
  test("its parts are those of the whole, and nothing behind a part is computed", () => {
    const json = `[${Array(50).fill('{"a":"b,c"}').join(",")}]`;
    const { text, whole } = prettyJson(json, 0, 10_000)!;
    const parts = [];
    for (let from = 0; from < whole!; from += 100) {
      const part = prettyJson(json, from, 100)!;
      expect(part.whole).toBe(from + 100 < whole! ? null : whole);
      parts.push(part.text);
    }
    expect(parts.join("")).toBe(text);
    expect(prettyJson(json, 99_999, 100)).toEqual({ text: "", whole });
  });
});

describe("requests", () => {
  const open = () => {
    const now = { ms: 0 };
    const clock = { monotonic: () => now.ms };
    const tokens = createTokens(clock);
    const request = () => tokens.read(tokens.issue("ana", "x"), "ana", "x")!;
    return { now, tokens, request, outcomes: createOutcomes(clock) };
  };
  const done = () => Promise.resolve({ kind: "elsewhere", location: "/" } as const);

  test("a token is valid for an hour, one user and one purpose", () => {
    const { now, tokens } = open();
    const token = tokens.issue("ana", "x");
    expect(tokens.read(token, "ana", "x")).not.toBeNull();
    expect([tokens.read(token, "bia", "x"), tokens.read(token, "ana", "y")]).toEqual([null, null]);
    now.ms = TOKEN_MS;
    expect(tokens.read(token, "ana", "x")).toBeNull();
  });

  test("a form that was acted on is not acted on again", async () => {
    const { request, outcomes } = open();
    let acts = 0;
    const act = () => (acts++, done());
    const one = request();
    const known = outcomes.once(one, { by: "ana", digest: "d" }, act);
    expect(outcomes.once(one, { by: "ana", digest: "other" }, act)).toBe(known);
    await known!.done;
    expect(outcomes.once(one, { by: "ana", digest: "d" }, act)).toBe(known);
    expect(outcomes.get(one.id)?.outcome).toEqual({ kind: "elsewhere", location: "/" });
    expect(acts).toBe(1);
  });

  test("beyond a thousand the oldest are forgotten, and none of that age acts again", () => {
    const { now, request, outcomes } = open();
    let acts = 0;
    const act = () => (acts++, done());
    const asked = { by: "ana", digest: "d" };
    const first = request();
    const unused = request();
    outcomes.once(first, asked, act);
    now.ms = 1;
    const later = request();
    for (let i = 0; i < 1_000; i++) outcomes.once(request(), asked, act);
    expect(outcomes.get(first.id)).toBeNull();
    expect(outcomes.once(first, asked, act)).toBeNull();
    expect(outcomes.once(unused, asked, act)).toBeNull();
    expect(acts).toBe(1_001);
    expect(outcomes.once(later, asked, act)).not.toBeNull();
  });
});
