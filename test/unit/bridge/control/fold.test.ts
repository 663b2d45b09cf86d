import { expect, test } from "vitest";
import { createControlFold } from "../../../../src/bridge/control/fold.ts";
import { writeControlEntry, type ControlEntry } from "../../../../src/bridge/control/entry.ts";

const AT_MS = Date.UTC(2026, 0, 2);
const entry = (
  says: ControlEntry["says"],
  by: string,
  flow: ControlEntry["flow"] = "commands",
): ControlEntry => ({
  ...{ flow, says, by, note: "n", atMs: AT_MS, untilMs: null, actionId: "a" },
});

const following = () => {
  const unreadable: number[] = [];
  const forgotten: string[] = [];
  const entries = createControlFold({
    unreadable: ({ offset }) => void unreadable.push(offset),
    forgotten: (flow) => void forgotten.push(flow),
  });
  const bytes = (text: string | null): Buffer | null => (text === null ? null : Buffer.from(text));
  const raw = (offset: number, key: string | null, value: string | null, log = 0): boolean =>
    entries.take({
      ...{ partition: 0, offset, timestampMs: AT_MS + log * 1_000_000 + offset },
      ...{ key: bytes(key), value: bytes(value) },
    });
  const take = (offset: number, said: ControlEntry, log = 0): boolean => {
    const { key, value } = writeControlEntry(said);
    return raw(offset, key, value, log);
  };
  const begin = (startOffset: number, endOffset: number): void =>
    entries.begin(new Map([[0, { startOffset, endOffset }]]));
  const last = (flow: ControlEntry["flow"] = "commands"): string | undefined => {
    const found = entries.entries().get(flow);
    return found && `${found.says} ${found.by}`;
  };
  return { ...entries, unreadable, forgotten, raw, take, begin, last };
};

test("is not read before its end, and the last entry of a flow counts", () => {
  const { begin, take, isRead, last } = following();
  expect(isRead()).toBe(false);
  begin(0, 3);
  take(0, entry("pause", "ana"));
  take(1, entry("resume", "ben"));
  expect([isRead(), last()]).toEqual([false, undefined]);
  take(2, entry("pause", "cleo", "reconcile"));
  expect([isRead(), last(), last("reconcile")]).toEqual([true, "resume ben", "pause cleo"]);
  take(3, entry("pause", "dora"));
  expect(last()).toBe("pause dora");
});

test("an empty topic counts as read at once, and so does one that was emptied", () => {
  const { begin, isRead } = following();
  begin(0, 0);
  expect(isRead()).toBe(true);
  const emptied = following();
  emptied.begin(7, 7);
  expect(emptied.isRead()).toBe(true);
});

test("compaction leaves gaps, and the end may hold only a transaction marker", () => {
  const { begin, take, reached, isRead, last } = following();
  begin(0, 9);
  expect(take(4, entry("pause", "ana"))).toBe(true);
  expect(take(7, entry("pause", "ben"))).toBe(true);
  expect(isRead()).toBe(false);
  reached(0, 9);
  expect([isRead(), last()]).toEqual([true, "pause ben"]);
});

test("an unreadable record is reported, and the entry before it stays in force", () => {
  const { begin, take, raw, unreadable, last } = following();
  begin(0, 0);
  take(0, entry("pause", "ana"));
  raw(1, "commands", "{");
  raw(2, "webhooks", writeControlEntry(entry("pause", "ben")).value);
  raw(3, "commands", JSON.stringify({ version: 2, says: "resume" }));
  raw(4, null, null);
  expect([unreadable, last()]).toEqual([[1, 2, 3, 4], "pause ana"]);
  take(5, entry("resume", "ben"));
  expect(last()).toBe("resume ben");
});

test("a deleted entry counts as never written", () => {
  const { begin, take, raw, last } = following();
  begin(0, 0);
  take(0, entry("pause", "ana"));
  raw(1, "commands", null);
  expect(last()).toBeUndefined();
});

test("a topic that is read anew takes effect once it is read to its end", () => {
  const { begin, take, last, forgotten } = following();
  begin(0, 0);
  take(0, entry("pause", "ana"));
  take(1, entry("pause", "ben"));
  begin(0, 2);
  take(0, entry("resume", "nobody"), 1);
  expect(last()).toBe("pause ben");
  take(1, entry("resume", "cleo"), 1);
  expect([last(), forgotten]).toEqual(["resume cleo", []]);
});

test("a topic that was created anew ends no pause", () => {
  const { begin, take, last, forgotten } = following();
  begin(0, 0);
  take(0, entry("pause", "ana"));
  begin(0, 0);
  expect([last(), forgotten]).toEqual(["pause ana", ["commands"]]);
});
