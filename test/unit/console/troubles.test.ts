import { expect, test } from "vitest";
import { isAllCurrent, troublesOf, type Overview } from "../../../src/console/pages/troubles.ts";

const read = <T>(value: T) => ({ value, atMs: 0, error: null, isReading: false, progress: null });
const journal = { doubts: 0, oldestSinceMs: null, underWay: 0, commands: 0 };
const commands = {
  group: "fx",
  state: "Empty",
  members: [],
  lag: 0,
  partitions: [],
  unread: [],
  unreadable: [],
  unowned: [],
};
const reconcile = { ...commands, group: "fx-reconcile", leader: null, lastCompleteAtMs: null };

const known: Overview = {
  topic: "fx.commands",
  reconcileLateMs: 3_600_000,
  status: read({ commands, reconcile, deadLetters: { records: 0, lastDay: 0 }, partner: [] }),
  pauses: read(new Map()),
  letters: read({ letters: [], count: 0, byReason: new Map<string, number>(), sent: () => null }),
  rates: read([]),
  waiting: read([]),
  doubts: read({ ...journal, read: 0, total: 0, isComplete: true, problem: null }),
};

test("it is not green where the commands topic is gone", async () => {
  const [worst, ...others] = troublesOf(known, 0);
  expect(others).toEqual([]);
  expect(worst?.tone).toBe("bad");
  expect(`${await worst?.what}`).toContain("Nobody takes commands, and there is no topic fx.commands");
});

test("it says where commands wait in a partition that no replica has", async () => {
  const members = [{ clientId: "a", host: "a", partitions: { "fx.commands": [0] } }];
  const partitions = [0, 1].map((partition) => ({ partition, committed: 1, end: 8, lag: 7 }));
  const flow = { ...commands, state: "Stable", members, partitions, lag: 14, unowned: [1] };
  const status = read({ commands: flow, reconcile, deadLetters: null, partner: [] });
  const [worst] = troublesOf({ ...known, status }, 0);
  expect(worst?.tone).toBe("bad");
  expect(`${await worst?.what}`).toMatch(/1 partition of the commands\s+\(1\), where\s+7 commands wait/);
});

test("reconciling is late by how often it is to run", () => {
  const [now, member] = [10 * 3_600_000, { clientId: "a", host: "a", partitions: {} }];
  const ran = { ...reconcile, members: [member], lastCompleteAtMs: now - 5 * 3_600_000 };
  const status = read({ commands, reconcile: ran, deadLetters: null, partner: [] });
  const count = (hours: number): number =>
    troublesOf({ ...known, status, reconcileLateMs: hours * 3_600_000 }, now).length;
  expect([count(1), count(24)]).toEqual([2, 1]);
});

test("what is asked for again is not known: Kafka may have frozen", () => {
  expect(isAllCurrent(known)).toBe(true);
  expect(isAllCurrent({ ...known, status: { ...known.status, isReading: true } })).toBe(false);
});
