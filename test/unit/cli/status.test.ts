import { expect, test } from "vitest";
import type { FlowsStatus } from "../../../src/bridge/operator/status.ts";
import { flowLines, pauseLine } from "../../../src/cli/status.ts";

const memberAt = (host: string, partitions: Record<string, number[]> = {}) => ({
  clientId: "cambio-bridge",
  host,
  partitions,
});
type Flow<Name extends keyof FlowsStatus> = Partial<FlowsStatus[Name]>;
const linesOf = (commands: Flow<"commands">, reconcile: Flow<"reconcile"> = {}): string[] =>
  flowLines(
    {
      commands: { group: "fx", state: "Stable", members: [], lag: 0, partitions: [], ...commands },
      reconcile: { group: "fx-reconcile", state: "Stable", members: [], leader: null, ...reconcile },
    },
    "fx.commands",
  ).filter((line) => line !== "" && !line.startsWith("Doubts are not counted here"));

test("a flow that is not paused is not said to run", () => {
  const at = "2026-12-01T06:00:00.000Z";
  const by = { by: "ana", note: "FX-7", at };
  expect(
    [
      { paused: false, last: null },
      { paused: false, last: { ...by, says: "resume" as const, until: null } },
      { paused: false, last: { ...by, says: "pause" as const, until: at } },
      { paused: true, last: { ...by, says: "pause" as const, until: null } },
    ].map((state) => pauseLine("commands", state)),
  ).toEqual([
    "commands   not paused; nobody ever paused it",
    `commands   not paused; resumed by "ana" at ${at}: "FX-7"`,
    `commands   not paused; the pause of "ana" ended at ${at}`,
    `commands   PAUSED by "ana" since ${at}, until it is resumed: "FX-7"`,
  ]);
});

test("without any replica it says that nobody takes commands, and what to do", () => {
  const empty = { state: "Empty" };
  expect(linesOf({ ...empty, lag: 812 }, empty)).toEqual([
    "NOBODY TAKES COMMANDS: group fx has no member (Empty), 812 commands behind. Where commands are wanted, start `cambio-bridge serve` with commands in FLOWS; /readyz of one that runs says what it lacks.",
    "Nobody reconciles: group fx-reconcile has no member (Empty).",
  ]);
});

test("where members cannot be seen, it does not say that there are none", () => {
  const [line, ...others] = linesOf({ state: "NewProtocol", lag: 2 });
  expect(line).toMatch(
    /^group fx, 2 commands behind: a program in it uses Kafka's new group protocol, .*doctor`\.$/,
  );
  expect(others.join()).not.toContain("NOBODY");
});

test("one replica, one command that is not done, one leader", () => {
  const members = [memberAt("10.0.0.1", { "fx.commands": [0, 1] })];
  const partitions = [
    { partition: 0, committed: 100, end: 101, lag: 1 },
    { partition: 1, committed: 7, end: 7, lag: 0 },
  ];
  const leader = { clientId: "cambio-bridge", host: "10.0.0.1" };
  expect(linesOf({ members, lag: 1, partitions }, { members: [memberAt("10.0.0.1")], leader })).toEqual([
    "group fx: Stable, 1 member, 1 command behind",
    "  10.0.0.1  cambio-bridge  partitions 0 1",
    "  fx.commands[0] committed 100, end 101: 1 command behind",
    "group fx-reconcile: Stable, 1 member, 10.0.0.1 is the leader",
  ]);
});

test("replicas of another commands topic take no commands of this one", () => {
  const members = [memberAt("10.0.0.1", { "other.commands": [0] })];
  expect(linesOf({ members, lag: 2 })).toContain(
    "NOBODY TAKES COMMANDS: no member of group fx has a partition of fx.commands, 2 commands behind. See TOPIC_COMMANDS of the replicas.",
  );
});

test("two replicas while the group settles, and a partition of which nothing was ever committed", () => {
  const members = [memberAt("10.0.0.1"), memberAt("10.0.0.2")];
  const partitions = [{ partition: 3, committed: null, end: 120, lag: 120 }];
  expect(linesOf({ state: "PreparingRebalance", members, lag: 120, partitions }, { members })).toEqual([
    "group fx: PreparingRebalance, 2 members, 120 commands behind",
    "  10.0.0.1  cambio-bridge  partitions none",
    "  10.0.0.2  cambio-bridge  partitions none",
    "  fx.commands[3] nothing committed, end 120: 120 commands behind",
    "group fx-reconcile: Stable, 2 members, no leader",
  ]);
});
