import { describe, expect, test } from "vitest";
import {
  isPause,
  readControlEntry,
  writeControlEntry,
  type ControlEntry,
} from "../../../../src/bridge/control/entry.ts";

const AT_MS = Date.UTC(2026, 0, 2, 3);
const pause: ControlEntry = {
  flow: "commands",
  says: "pause",
  by: "ana",
  note: "the partner asked",
  atMs: AT_MS,
  untilMs: AT_MS + 1_000,
  actionId: "a-1",
};
const resume: ControlEntry = { ...pause, says: "resume", untilMs: null };

test.each<[string, ControlEntry | undefined, number, boolean]>([
  ["nobody said anything", undefined, AT_MS, false],
  ["a pause without an end", { ...pause, untilMs: null }, AT_MS + 1e12, true],
  ["a pause before its end", pause, AT_MS + 999, true],
  ["a pause at its end", pause, AT_MS + 1_000, false],
  ["a pause, by a clock that is behind the one of whoever said it", pause, AT_MS - 5_000, true],
  ["a resume", resume, AT_MS, false],
])("%s", (_, entry, nowMs, holds) => {
  expect(isPause(entry, nowMs)).toBe(holds);
});

test.each([pause, resume, { ...pause, flow: "reconcile", untilMs: null } as const])(
  "what is written is what is read",
  (entry) => {
    const { key, value } = writeControlEntry(entry);
    expect(readControlEntry(key, value)).toEqual({ kind: "entry", entry });
  },
);

test("an entry is written as JSON", () => {
  const { key, value } = writeControlEntry(pause);
  expect([key, JSON.parse(value)]).toEqual([
    "commands",
    {
      version: 1,
      says: "pause",
      by: "ana",
      note: "the partner asked",
      at: "2026-01-02T03:00:00.000Z",
      until: "2026-01-02T03:00:01.000Z",
      actionId: "a-1",
    },
  ]);
});

test("a tombstone means that the flow has no entry", () => {
  expect(readControlEntry("reconcile", null)).toEqual({ kind: "deleted", flow: "reconcile" });
});

describe("what this version cannot read is no entry", () => {
  const good = JSON.parse(writeControlEntry(pause).value) as Record<string, unknown>;
  const without = (name: string): Record<string, unknown> =>
    Object.fromEntries(Object.entries(good).filter(([key]) => key !== name));
  test.each<[string, string | null, unknown]>([
    ["no key", null, good],
    ["a flow that cannot be paused", "webhooks", good],
    ["a flow of a later version", "toString", good],
    ["a later version", "commands", { ...good, version: 2 }],
    ["no version", "commands", without("version")],
    ["an entry of a later version", "commands", { ...good, says: "drain" }],
    ["an end that is no instant", "commands", { ...good, until: "tomorrow" }],
    ["an end that is a number", "commands", { ...good, until: 1 }],
    ["no end", "commands", without("until")],
    ["no instant", "commands", without("at")],
    ["nobody", "commands", { ...good, by: { name: "ana" } }],
    ["no action", "commands", without("actionId")],
    ["an array", "commands", [good]],
    ["null", "commands", null],
  ])("%s", (_, key, value) => {
    expect(readControlEntry(key, JSON.stringify(value))).toMatchObject({ kind: "unreadable" });
  });
  test.each(["", "{", "\u0000", "pause", "[".repeat(100_000)])("no JSON", (value) => {
    expect(readControlEntry("commands", value)).toMatchObject({ kind: "unreadable" });
  });
});
