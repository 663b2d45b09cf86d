import { expect, test } from "vitest";
import { flowLines } from "../../../src/cli/flow-lines.ts";

const memberAt = (host: string, partitions: Record<string, number[]> = {}) => ({
  ...{ clientId: "cambio-bridge", host, partitions },
});
const reconcile = {
  ...{ group: "fx-reconcile", state: "Stable", members: [], leader: null, lastCompleteAtMs: null },
};
const deadLetters = { records: 7, lastDay: 2 };
const partner = [
  { kind: "acceptsHeld", why: "unauthorized", sinceMs: 0, untilMs: 30_000 },
  { kind: "doubtOpen", sinceMs: 0 },
  { kind: "rateUsedUp", sinceMs: 0, untilMs: 7_000 },
] as const;

test.each([
  ["nobody is in the group", { state: "Empty" }, true],
  ["it settles", { state: "PreparingRebalance", members: [memberAt("a")] }, false],
  ["all have other topics", { members: [memberAt("a", { "other.commands": [0] })] }, true],
  ["one takes them", { members: [memberAt("a", { "fx.commands": [0] })] }, false],
])("whether nobody takes commands, where %s", (_, commands, isNobody) => {
  const flow = {
    group: "fx",
    state: "Stable",
    members: [],
    partitions: [{ partition: 1, committed: 4, end: 9, lag: 5 }],
    unread: [2],
    unowned: [1],
    unreadable: [{ partition: 3, offset: 17 }],
    ...commands,
    lag: 812,
  };
  const [line = "", ...others] = flowLines(
    { commands: flow, reconcile, deadLetters, partner: [...partner] },
    "fx.commands",
  );
  expect(line.startsWith("NOBODY TAKES COMMANDS: group fx ")).toBe(isNobody);
  expect(line).toContain("812 commands behind");
  for (const text of [
    "ACCEPTS ARE HELD BACK: accepts pause since 1970-01-01T00:00:00.000Z",
    "at 1970-01-01T00:00:30.000Z one is sent as a trial",
    "ACCEPTS WAIT UNTIL A DOUBT IS RESOLVED: accepts pause since 1970-01-01T00",
    "THE RATE IS USED UP: since 1970-01-01T00:00:00.000Z calls wait",
    "fx.commands[2]: NO LEADER ANSWERS",
    "fx.commands[3]: THE BATCH AT OFFSET 17 CANNOT BE READ",
  ])
    expect(others.join()).toContain(text);
  const owner = isNobody ? "" : ", NO REPLICA HAS IT";
  expect(others).toContain(`  fx.commands[1]: 5 commands behind${owner}`);
});
