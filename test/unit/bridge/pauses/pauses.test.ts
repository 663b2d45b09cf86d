import { expect, test } from "vitest";
import { createPauses } from "../../../../src/bridge/pauses/pauses.ts";
import {
  isPause,
  PAUSABLE,
  writeControlEntry,
  type ControlEntry,
} from "../../../../src/bridge/pauses/pause-entry.ts";
import { systemClock } from "../../../../src/runtime/clock.ts";
import { silent } from "../../../../src/runtime/log.ts";

const AT_MS = Date.UTC(2026, 0, 2, 3);
const pause: ControlEntry = {
  ...{ flow: "commands", says: "pause", by: "ana", note: "n", actionId: "a-1" },
  ...{ atMs: AT_MS, untilMs: AT_MS + 1_000 },
};
const entry = (says: ControlEntry["says"], by: string, flow: ControlEntry["flow"] = "commands") => ({
  ...{ ...pause, flow, says, by, untilMs: null },
});

const following = () => {
  const fold = createPauses(PAUSABLE, { clock: systemClock, log: silent });
  const bytes = (text: string | null): Buffer | null => (text === null ? null : Buffer.from(text));
  const raw = (key: string | null, value: string | null): boolean =>
    fold.take({ key: bytes(key), value: bytes(value) });
  const take = (said: ControlEntry): boolean => {
    const { key, value } = writeControlEntry(said);
    return raw(key, value);
  };
  const begin = (startOffset: number, endOffset: number): void => fold.begin({ startOffset, endOffset });
  const last = (flow: ControlEntry["flow"] = "commands"): string | undefined => {
    const found = fold.entries().get(flow);
    return found && `${found.says} ${found.by}`;
  };
  return { ...fold, raw, take, begin, last };
};

test.each<[string, ControlEntry | undefined, number, boolean]>([
  ["nobody said anything", undefined, AT_MS, false],
  ["a pause without an end", { ...pause, untilMs: null }, AT_MS + 1e12, true],
  ["a pause before its end", pause, AT_MS + 999, true],
  ["a pause at its end", pause, AT_MS + 1_000, false],
  ["a pause, by a clock that is behind the one of whoever said it", pause, AT_MS - 5_000, true],
  ["a resume", { ...pause, says: "resume", untilMs: null }, AT_MS, false],
])("whether it is a pause now: %s", (_, said, nowMs, holds) => {
  expect(isPause(said, nowMs)).toBe(holds);
});

test("what is written, as JSON, is what is read", () => {
  const { begin, take, entries } = following();
  begin(0, 0);
  const others = [entry("resume", "ben", "reconcile"), entry("pause", "cleo", "accepts")];
  for (const said of [pause, ...others]) expect(take(said)).toBe(true);
  expect([...entries().values()]).toEqual([pause, ...others]);
  expect(JSON.parse(writeControlEntry(pause).value)).toEqual({
    ...{ version: 1, says: "pause", by: "ana", note: "n", actionId: "a-1" },
    ...{ at: "2026-01-02T03:00:00.000Z", until: "2026-01-02T03:00:01.000Z" },
  });
});

test("is not read before its end, which may hold only a transaction marker; the last entry of a flow counts", () => {
  const { begin, take, reached, isRead, last } = following();
  expect(isRead()).toBe(false);
  begin(0, 3);
  take(entry("pause", "ana"));
  take(entry("resume", "ben"));
  reached(2);
  expect([isRead(), last()]).toEqual([false, undefined]);
  take(entry("pause", "cleo", "reconcile"));
  reached(3);
  expect([isRead(), last(), last("reconcile")]).toEqual([true, "resume ben", "pause cleo"]);
  take(entry("pause", "dora"));
  expect(last()).toBe("pause dora");
});

test.each([0, 7])("an empty topic counts as read at once, also one that was emptied", (offset) => {
  const { begin, isRead } = following();
  begin(offset, offset);
  expect(isRead()).toBe(true);
});

test("a deleted entry counts as never written", () => {
  const { begin, take, raw, last } = following();
  begin(0, 0);
  take(entry("pause", "ana"));
  expect(raw("commands", null)).toBe(true);
  expect(last()).toBeUndefined();
});

test("a topic that is read anew takes effect once it is read to its end", () => {
  const { begin, take, reached, last } = following();
  begin(0, 0);
  take(entry("pause", "ben"));
  begin(0, 2);
  take(entry("resume", "nobody"));
  expect(last()).toBe("pause ben");
  take(entry("resume", "cleo"));
  reached(2);
  expect(last()).toBe("resume cleo");
});

test("a topic that was created anew ends no pause", () => {
  const { begin, take, last } = following();
  begin(0, 0);
  take(entry("pause", "ana"));
  begin(0, 0);
  expect(last()).toBe("pause ana");
});

const good = JSON.parse(writeControlEntry(pause).value) as Record<string, unknown>;
test.each<[string, string | null, unknown]>([
  ["no key", null, good],
  ["a flow that cannot be paused", "webhooks", good],
  ["a flow of a later version", "toString", good],
  ["a later version", "commands", { ...good, version: 2 }],
  ["no version", "commands", { ...good, version: undefined }],
  ["an entry of a later version", "commands", { ...good, says: "drain" }],
  ["an end that is no instant", "commands", { ...good, until: "tomorrow" }],
  ["an end that is a number", "commands", { ...good, until: 1 }],
  ["no end", "commands", { ...good, until: undefined }],
  ["no instant", "commands", { ...good, at: undefined }],
  ["nobody", "commands", { ...good, by: { name: "ana" } }],
  ["no action", "commands", { ...good, actionId: undefined }],
  ["an array", "commands", [good]],
  ["null", "commands", null],
  ["no JSON", "commands", undefined],
])("%s is not understood, and the entry before it stays in force", (_, key, value) => {
  const { begin, take, raw, last } = following();
  begin(0, 0);
  take(entry("pause", "ana"));
  expect(raw(key, value === undefined ? "{" : JSON.stringify(value))).toBe(false);
  expect(last()).toBe("pause ana");
});
