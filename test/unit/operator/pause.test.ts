import { expect, test } from "vitest";
import type { Action, Actor, Outcome } from "../../../src/operator/action.ts";
import type { Audited } from "../../../src/operator/audit.ts";
import { pauseOrResume } from "../../../src/operator/pause.ts";
import type { Pausable, ControlEntry } from "../../../src/operator/control-entry.ts";
import { UsageError } from "../../../src/runtime/errors.ts";

const NOW_MS = Date.UTC(2026, 0, 2);
const ben: Actor = {
  by: "ben",
  role: "operator",
  note: "why",
  from: { host: "h", user: "u", program: "cli" },
};
const place = { partition: 0, offset: 7 };

const topics = ({ auditRefuses = false, controlRefuses = false } = {}) => {
  const entries = new Map<Pausable, ControlEntry>();
  const actions: Action[] = [];
  const outcomes: Outcome[] = [];
  const audited: Audited = async (_, action, act) => {
    if (auditRefuses) throw new UsageError("Nothing was done");
    actions.push(action);
    const { value, outcome } = await act({ actionId: "a-1", place });
    outcomes.push(outcome);
    return value;
  };
  const say = pauseOrResume({
    audited,
    entries: () => Promise.resolve(new Map(entries)),
    write: (entry) => {
      if (controlRefuses) return Promise.reject(new Error("no leader"));
      entries.set(entry.flow, entry);
      return Promise.resolve("control[0]@3");
    },
    now: () => NOW_MS,
  });
  return { entries, actions, outcomes, say };
};

const pause = { flow: "commands", says: "pause", untilMs: NOW_MS + 60_000 } as const;

test("a pause is an entry in the control topic, and is audited", async () => {
  const { say, entries, actions, outcomes } = topics();
  const said = await say(ben, pause);
  const entry = { ...pause, by: "ben", note: "why", atMs: NOW_MS, actionId: "a-1" };
  expect(said).toEqual({ entry, place: "control[0]@3", audit: place, before: null });
  expect(entries.get("commands")).toEqual(entry);
  expect(actions).toEqual([
    { kind: "pause", subject: "commands", parameters: { until: "2026-01-02T00:01:00.000Z" } },
  ]);
  expect(outcomes).toEqual([{ kind: "done", effect: { record: "control[0]@3", replaced: null } }]);
});

test("a pause that would be over when it is written is refused before anything is written", async () => {
  const { say, entries, actions } = topics();
  await expect(say(ben, { ...pause, untilMs: NOW_MS })).rejects.toThrow("Nothing is paused");
  expect([entries.size, actions.length]).toEqual([0, 0]);
});

test("a pause whose end no replica could read is refused before anything is written", async () => {
  const { say, entries, actions } = topics();
  for (const untilMs of [Date.UTC(10_000, 0, 1), 9e15])
    await expect(say(ben, { ...pause, untilMs })).rejects.toThrow(UsageError);
  expect([entries.size, actions.length]).toEqual([0, 0]);
});

test("a pause replaces the one before, which is returned; an expired one does not count", async () => {
  const { say, entries, outcomes } = topics();
  await say({ ...ben, by: "ana" }, { ...pause, untilMs: null });
  const { before } = await say(ben, pause);
  expect(before).toMatchObject({ by: "ana", untilMs: null });
  expect(entries.get("commands")).toMatchObject({ by: "ben" });
  expect(outcomes.at(-1)).toMatchObject({ effect: { replaced: { by: "ana", until: null } } });
  entries.set("commands", { ...entries.get("commands")!, untilMs: NOW_MS });
  expect((await say(ben, pause)).before).toBeNull();
});

test("a resume is an entry, too, also where nothing is paused", async () => {
  const { say, entries, actions } = topics();
  await say(ben, { flow: "reconcile", says: "resume", untilMs: null });
  expect(entries.get("reconcile")).toMatchObject({ says: "resume", by: "ben" });
  expect(actions).toEqual([{ kind: "resume", subject: "reconcile", parameters: {} }]);
});

test("nothing is written that cannot be audited", async () => {
  const { say, entries } = topics({ auditRefuses: true });
  await expect(say(ben, pause)).rejects.toThrow("Nothing was done");
  expect(entries.size).toBe(0);
});

test("an entry that may have been written is reported as a sentence", async () => {
  const attempt = topics({ controlRefuses: true }).say(ben, pause);
  await expect(attempt).rejects.toThrow(UsageError);
  await expect(attempt).rejects.toThrow(/^Nobody knows whether the pause was written \(no leader\)/);
});
