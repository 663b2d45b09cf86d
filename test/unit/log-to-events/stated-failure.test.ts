import { describe, expect, test } from "vitest";
import { change, read } from "./answers.ts";

const failed = "the answer says that it failed";

describe("an answer that says of itself that it failed", () => {
  test.each<object>([
    { success: false },
    { ok: false },
    { Success: false, message: "internal error" },
    { error: "timeout" },
    { error: { code: "E1", message: "" } },
    { error: true },
    { error: 17 },
    { errors: "try later" },
    { errors: [{ message: "try later" }] },
    { errors: ["try later"] },
  ])("is not complete: %j", async (said) => {
    for (const entries of [[], [change]])
      for (const answer of [
        { ...said, entries },
        { entries, ...said },
        { data: { ...said, entries } },
        { ...said, data: { entries } },
      ]) {
        const { reasons, mayShowMore, taken } = await read(JSON.stringify(answer));
        expect(reasons, JSON.stringify(answer)).toContain(failed);
        expect(mayShowMore).toBe(true);
        expect(taken).toHaveLength(entries.length);
      }
    const entriesPointer = "/entries";
    const pointed = await read(JSON.stringify({ ...said, entries: [] }), { entriesPointer });
    expect(pointed.reasons).toEqual([failed]);
  });

  test.each<object>([
    { success: true, ok: true },
    { success: "false" },
    { success: null },
    { error: null, errors: [] },
    { error: "", errors: {} },
    { error: "0" },
    { error: "none" },
    { error: false },
    { error: 0 },
    { error: { code: 0, message: null } },
    { error: { code: 0, message: "OK" } },
    { error: "No error" },
    { error_count: 3 },
    { subscription: { success: false, error: "timeout", events: ["ALL"] } },
  ])("does not: %j", async (said) => {
    expect((await read(JSON.stringify({ ...said, entries: [change] }))).reasons).toEqual([]);
    expect(
      (await read(JSON.stringify({ ...said, entries: [] }), { entriesPointer: "/entries" })).reasons,
    ).toEqual([]);
  });

  test("entries say that of themselves", async () => {
    const entries = [{ ...change, success: false, error: "timeout", errors: ["timeout"] }];
    expect((await read(JSON.stringify({ entries }))).reasons).toEqual([]);
  });
});
