import { describe, expect, it, test } from "vitest";
import { textOf } from "../../../src/cli/doubt-lines.ts";
import { isAllCurrent, type Overview } from "../../../src/console/pages/overview.ts";
import type { Status } from "../../../src/operate/status.ts";
import { troublesOf } from "../../../src/operate/troubles.ts";
import { configOf } from "../config/environment.ts";

const HOUR_MS = 3_600_000;
const group = { group: "fx", state: "Stable", members: [] };
const commands = { ...group, lag: 0, partitions: [], unread: [], unreadable: [], unowned: [] };
const reconcile = { ...group, leader: null, lastCompleteAtMs: null };
const idle: Status = { commands, reconcile, deadLetters: { records: 0, lastDay: 0 }, partner: [] };
const memberOf = (partitions: Record<string, number[]>) => [{ clientId: "a", host: "a", partitions }];
const members = memberOf({ "fx.commands": [0] });

const troubles = (status: Partial<Status>, nowMs = 0, settings = {}) =>
  troublesOf({ status: { ...idle, ...status }, pauses: null, doubts: null }, configOf(settings), nowMs);
const textsOf = (status: Partial<Status>): string[] =>
  troubles(status).map(({ tone, what, more }) => `${tone}: ${what}. ${textOf(more)}`);

test.each([
  ["nobody is in the group", { state: "Empty" }, true],
  ["it settles", { state: "PreparingRebalance", members: memberOf({}) }, false],
  ["all have other topics", { members: memberOf({ "other.commands": [0] }) }, true],
  ["one takes them", { members }, false],
])("whether nobody takes commands, where %s: before what is less bad", (_, more, isNobody) => {
  const partner: Status["partner"] = [{ kind: "rateUsedUp", sinceMs: 0, untilMs: 7_000 }];
  const all = troubles({ partner, commands: { ...commands, ...more } });
  expect(all.some(({ holds }) => holds === "commands")).toBe(isNobody);
  if (isNobody)
    expect(all[0]?.what).toBe("Nobody takes commands, and there is no topic fx.commands: see the replicas");
});

it("says which partitions nobody serves, and why", () => {
  const partitions = [0, 1].map((partition) => ({ partition, committed: 1, end: 8, lag: 7 }));
  const places = { unread: [2], unowned: [1], unreadable: [{ partition: 3, offset: 17 }] };
  expect(textsOf({ commands: { ...commands, members, partitions, lag: 14, ...places } })).toEqual([
    expect.stringMatching(/^bad: Nobody can read fx\.commands\[2\]: no leader answers/),
    expect.stringMatching(/^bad: The commands of fx\.commands\[3\] wait: .* offset 17: see "A batch/),
    expect.stringMatching(/^bad: No replica has fx\.commands\[1\], where 7 commands wait/),
  ]);
});

it("says what the partner keeps from being done, since when and until when", () => {
  const partner: Status["partner"] = [
    { kind: "acceptsHeld", why: "unauthorized", sinceMs: 0, untilMs: 30_000 },
    { kind: "doubtOpen", sinceMs: 0 },
    { kind: "rateUsedUp", sinceMs: 0, untilMs: 7_000 },
  ];
  const all = troubles({ partner, commands: { ...commands, members } });
  expect(all.map(({ holds }) => holds)).toEqual(["accepts", "accepts", undefined]);
  expect(textOf(all[0]?.more ?? [])).toMatch(
    /since 1970-01-01T00:00:00.000Z.* at 1970-01-01T00:00:30.000Z one/,
  );
});

describe("reconciling", () => {
  const ran = { ...reconcile, members: memberOf({}), lastCompleteAtMs: 5 * HOUR_MS };
  it.each([
    ["15m", 1],
    ["24h", 0],
  ])("is late by how often it is to run: every %s", (RECONCILE_EVERY, late) => {
    const status = { reconcile: ran, commands: { ...commands, members } };
    expect(troubles(status, 10 * HOUR_MS, { RECONCILE_EVERY })).toHaveLength(late);
  });
});

test("what is asked for again is not known: Kafka may have frozen", () => {
  const read = { value: { isComplete: true }, error: null, isReading: false };
  const known = { status: read, pauses: read, doubts: read } as unknown as Overview;
  expect(isAllCurrent(known)).toBe(true);
  expect(isAllCurrent({ ...known, status: { ...known.status, isReading: true } })).toBe(false);
});
