import { expect, test } from "vitest";
import { doubtsLine, flowLines, pauseLine } from "../../../src/cli/status.ts";
import type { ControlEntry } from "../../../src/operate/pause.ts";
import type { Status } from "../../../src/operate/status.ts";

const memberAt = (host: string, partitions: Record<string, number[]> = {}) => ({
  ...{ clientId: "cambio-bridge", host, partitions },
});
const linesOf = (commands: Partial<Status["commands"]>, more: Partial<Status["reconcile"]> = {}): string[] =>
  flowLines(
    {
      commands: { group: "fx", state: "Stable", members: [], lag: 0, partitions: [], ...commands },
      reconcile: {
        ...{ group: "fx-reconcile", state: "Stable", members: [], leader: null, lastCompleteAtMs: null },
        ...more,
      },
      deadLetters: { records: 7, lastDay: 2 },
    },
    "fx.commands",
  );

test("a pause says who, until when and why", () => {
  const nowMs = Date.UTC(2026, 11, 1, 7);
  const entry: ControlEntry = {
    ...{ flow: "commands", says: "pause", by: "ana", note: "FX-7", actionId: "a-1" },
    ...{ atMs: Date.UTC(2026, 11, 1, 6), untilMs: null },
  };
  expect(pauseLine("commands", { ...entry, untilMs: nowMs }, nowMs)).toBe("commands not paused");
  expect(pauseLine("commands", entry, nowMs)).toBe(
    'commands PAUSED by "ana" since 2026-12-01T06:00:00.000Z, until it is resumed: "FX-7"',
  );
});

test.each([
  ["nobody is in the group", { state: "Empty" }, true],
  ["members cannot be seen", { state: "NewProtocol" }, false],
  ["it settles", { state: "PreparingRebalance", members: [memberAt("a")] }, false],
  ["all have other topics", { members: [memberAt("a", { "other.commands": [0] })] }, true],
  ["one takes them", { members: [memberAt("a", { "fx.commands": [0] })] }, false],
])("whether nobody takes commands, where %s", (_, commands, isNobody) => {
  const [line = ""] = linesOf({ ...commands, lag: 812 });
  expect(line.startsWith("NOBODY TAKES COMMANDS: group fx ")).toBe(isNobody);
  expect(line).toContain("812 commands behind");
});

test("members, partitions that are behind, the leader, dead letters and doubts have a line each", () => {
  const members = [memberAt("10.0.0.1", { "fx.commands": [0, 1] })];
  const partitions = [
    { partition: 0, committed: 100, end: 101, lag: 1 },
    { partition: 1, committed: 7, end: 7, lag: 0 },
  ];
  const leader = { clientId: "cambio-bridge", host: "10.0.0.1" };
  expect(linesOf({ members, lag: 1, partitions }, { leader })).toEqual([
    "group fx, 1 command behind: Stable, 1 member",
    "  10.0.0.1  cambio-bridge  partitions 0 1",
    "  fx.commands[0]: 1 command behind",
    "group fx-reconcile: Stable, 10.0.0.1 is the leader",
    "7 dead letters, 2 of the last day: see `cambio-bridge dead-letters list`",
  ]);
  const numbers = { underWay: 1, commands: 9 };
  expect(doubtsLine({ ...numbers, doubts: 0, oldestSinceMs: null })).toBe("No command is in doubt.");
  expect(doubtsLine({ ...numbers, doubts: 2, oldestSinceMs: 0 })).toMatch(/^2 COMMANDS IN DOUBT, the oldest/);
});
