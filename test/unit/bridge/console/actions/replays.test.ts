import { describe, expect, test } from "vitest";
import {
  createPlanStore,
  lettersOf,
  MAX_LETTERS,
} from "../../../../../src/bridge/console/actions/kept-plans.ts";
import { startReplayRun } from "../../../../../src/bridge/console/actions/replay-run.ts";
import type { Hooks, Replayed } from "../../../../../src/bridge/operator/replay.ts";
import type { Actor } from "../../../../../src/operator/action.ts";
import type { DeadLetter } from "../../../../../src/operator/replay/dead-letter.ts";
import type { Plan } from "../../../../../src/operator/replay/plan.ts";
import { letter } from "../../../operator/replay/letters.ts";

const ana: Actor = {
  ...{ by: "ana", role: "operator", note: "n" },
  from: { host: "h", user: "u", program: "console" },
};
const ben = { ...ana, by: "ben" };
const letters = (count: number): DeadLetter[] => Array.from({ length: count }, (_, offset) => letter(offset));
const planOf = (count: number): Plan => ({
  send: letters(count).map((each) => ({ letter: each, topic: "commands" })),
  skipped: [],
  held: [],
  warnings: new Map([["too old", 2]]),
});

describe("plans", () => {
  test("are kept for 15 minutes, for the person who made them", () => {
    let nowMs = 0;
    const plans = createPlanStore(() => nowMs);
    const { planId, ...shown } = plans.keep(ana, planOf(3), [{ partition: 7, offset: 1 }], true);
    expect(shown).toMatchObject({ sendCount: 3, skippedCount: 1, warnings: ["2 too old"] });
    expect(shown.skipped).toEqual([{ ref: "7/1", why: "there is no such letter", detail: "" }]);
    nowMs = 15 * 60_000 - 1;
    expect(plans.find(ana, planId)).toMatchObject({ by: "ana", again: true, places: { length: 3 } });
    expect(() => plans.find(ben, planId)).toThrow("not known any more");
    nowMs += 1;
    expect(() => plans.find(ana, planId)).toThrow("not known any more");
  });

  test("are no more than twenty, and show no more than a hundred letters", () => {
    const plans = createPlanStore(() => 0);
    const ids = Array.from({ length: 21 }, () => plans.keep(ana, planOf(150), [], false));
    expect(ids[0]?.send).toHaveLength(100);
    expect(ids[0]?.sendCount).toBe(150);
    expect(() => plans.find(ana, ids[0]?.planId ?? "")).toThrow("not known any more");
    for (const { planId } of ids.slice(1)) expect(plans.find(ana, planId).places).toHaveLength(150);
  });

  test("refuse refs that name no letter, and too many of them", () => {
    expect(lettersOf({ refs: ["3/4711"] })).toEqual({ refs: [{ partition: 3, offset: 4711 }] });
    for (const ref of ["", "x", "3/-1", "<b>"]) expect(() => lettersOf({ refs: [ref] })).toThrow("3/4711");
    expect(() => lettersOf({ refs: Array<string>(MAX_LETTERS + 1).fill("0/0") })).toThrow("name fewer");
  });
});

describe("a run", () => {
  const start = (total: number) => {
    let hooks: Hooks | undefined;
    let signal: AbortSignal | undefined;
    let resolve: (replayed: Replayed) => void = () => undefined;
    let reject: (error: Error) => void = () => undefined;
    const run = startReplayRun(
      { runId: "r", by: "ana", startedAtMs: 0, total },
      (given, stop) => {
        [hooks, signal] = [given, stop];
        return new Promise((done, failed) => ([resolve, reject] = [done, failed]));
      },
      () => undefined,
    );
    if (!hooks || !signal) throw new Error("not started");
    return { run, hooks, signal, resolve, reject };
  };
  const [one] = planOf(1).send;

  test("counts letters by outcome, and keeps the last fifty", async () => {
    const { run, hooks, resolve } = start(65);
    if (!one) throw new Error("no letter");
    for (let nth = 0; nth < 60; nth += 1) hooks.ended(one, { end: "sent", place: `commands[0]@${nth}` });
    hooks.ended(one, { end: "found", place: "commands[0]@60" });
    hooks.ended(one, { end: "duplicate", eventId: "e" });
    hooks.ended(one, { end: "unknown", reason: "no answer" });
    hooks.planned(
      { ...planOf(0), skipped: [{ letter: one.letter, skipped: { why: "gone", detail: "" } }] },
      [],
    );
    hooks.warn("What came of it could not be written.");
    expect(run.snapshot()).toMatchObject({ state: "running", sent: 61, duplicates: 1, left: 1, unknown: 1 });
    expect(run.snapshot().last).toHaveLength(50);
    expect(run.snapshot().last[0]).toEqual({ ref: "0/0", text: "not sent: gone" });
    resolve({ unsent: 1, reason: "Kafka took too long" });
    await run.over;
    expect(run.snapshot()).toMatchObject({ state: "done", left: 2, total: 65 });
    expect(run.snapshot().detail).toBe(
      "What came of it could not be written. 1 were not sent: Kafka took too long.",
    );
  });

  test("is cancelled once, and failed only if it was not cancelled", async () => {
    const cancelled = start(3);
    cancelled.run.cancel("cancelled by ana");
    cancelled.run.cancel("cancelled by ana");
    expect(cancelled.signal.aborted).toBe(true);
    expect(cancelled.run.snapshot().state).toBe("cancelling");
    cancelled.reject(new Error("cut off"));
    await cancelled.run.over;
    expect(cancelled.run.snapshot()).toMatchObject({ state: "done", left: 3 });

    const failed = start(3);
    failed.reject(new Error("no leader"));
    await failed.run.over;
    failed.run.cancel("cancelled by ana");
    expect(failed.run.snapshot()).toMatchObject({ state: "failed", left: 3 });
    expect(failed.run.snapshot().detail).toContain("no leader");
  });
});
