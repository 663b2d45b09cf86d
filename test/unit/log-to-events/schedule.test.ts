import { expect, test } from "vitest";
import type { Reconcile, Report, RunRequest } from "../../../src/log-to-events/flow.ts";
import type { Period } from "../../../src/log-to-events/period.ts";
import { reconcileRepeatedly } from "../../../src/log-to-events/schedule.ts";
import { systemClock, type Clock } from "../../../src/runtime/clock.ts";

const HOUR_MS = 3_600_000;
const OPTIONS = { everyMs: HOUR_MS, windowMs: 26 * HOUR_MS, lookbackMs: 72 * HOUR_MS, minAgeMs: 600_000 };
const NOW_MS = Date.parse("2026-11-21T12:00:00Z");

/** Runs an hour apart, with these results; the clock is ahead by so much while a run goes on. */
const lead = async (results: Report["result"][], notedAt: number | null, aheadMs: readonly number[] = []) => {
  const stop = new AbortController();
  const requests: RunRequest[] = [];
  const run: Reconcile = (request) => {
    requests.push(request);
    const result = results[requests.length - 1] ?? "complete";
    if (requests.length === results.length) stop.abort(new Error("enough"));
    return Promise.resolve({
      result,
      entries: 0,
      known: 0,
      published: 0,
      ...{ held: 0, otherType: 0, tooYoung: 0 },
      unreadable: 0,
      reasons: [],
      isWhole: result === "complete" || result === "incomplete",
    });
  };
  let nowMs = NOW_MS;
  const clock: Clock = {
    ...systemClock,
    now: () => nowMs + (aheadMs[requests.length] ?? 0),
    sleep: (ms, signal) => {
      nowMs += ms;
      signal?.throwIfAborted();
      return Promise.resolve();
    },
  };
  const ended: string[] = [];
  let opened = 0;
  const untilOpen = (): Promise<void> => {
    expect(requests).toHaveLength(opened);
    opened += 1;
    return Promise.resolve();
  };
  const gaps: Period[] = [];
  const deps = {
    clock,
    untilOpen,
    ended: ({ result }: Report) => void ended.push(result),
    leftOut: (period: Period) => void gaps.push(period),
  };
  await expect(reconcileRepeatedly(OPTIONS, run, deps, notedAt, stop.signal)).rejects.toThrow("enough");
  expect(ended).toEqual(results);
  expect(opened).toBe(results.length);
  const back = requests.map(({ period }) => (period.toMs - period.fromMs) / HOUR_MS);
  return { back, from: requests.map(({ period }) => period.fromMs), gaps };
};

/** Incomplete: all was read, and something of it is not understood. */
const RESULTS: Report["result"][] = ["failed", "suspicious", "incomplete", "complete", "complete"];
const failing = (hours: number): Report["result"][] => Array<"failed">(hours).fill("failed");

test("runs follow one another until the end, and far looks end with a complete one", async () => {
  const { back, gaps } = await lead(RESULTS, NOW_MS - HOUR_MS);
  expect(back).toEqual([72, 72, 72, 26, 26]);
  expect(gaps).toEqual([]);
});

test("a new leader looks back to the last complete run of an earlier one, until it has one itself", async () => {
  const notedAt = NOW_MS - 120 * HOUR_MS;
  const { back, from, gaps } = await lead(RESULTS, notedAt);
  expect(from.slice(0, 3)).toEqual(Array<number>(3).fill(notedAt - OPTIONS.minAgeMs));
  expect(back.slice(3)).toEqual([26, 26]);
  expect(gaps).toEqual([]);
});

test("where no complete run is noted, a failing leader looks back to where its first run did", async () => {
  const { back, from, gaps } = await lead([...failing(120), "complete", "complete"], null);
  expect(back[0]).toBe(72);
  expect(new Set(from.slice(0, -1))).toEqual(new Set([NOW_MS - 72 * HOUR_MS]));
  expect(back.slice(-2)).toEqual([192, 26]);
  expect(gaps).toEqual([]);
});

test("an instant that is noted ahead of this clock says nothing: the first run looks back two weeks", async () => {
  const { back } = await lead(["complete", "complete"], NOW_MS + 1_000 * HOUR_MS);
  expect(back).toEqual([336, 26]);
});

test("one run under a clock that is far ahead stops no look-back, and shortens none", async () => {
  const { back, gaps } = await lead(Array<"complete">(27).fill("complete"), NOW_MS - HOUR_MS, [
    0,
    10_000 * HOUR_MS,
  ]);
  expect(back.slice(2, 4)).toEqual([336, 26]);
  expect(back.at(-1)).toBe(72);
  expect(gaps).toHaveLength(1);
});

test("what lies longer ago than two weeks is told once, after the complete run that leaves it out", async () => {
  const notedAt = NOW_MS - 1_000 * HOUR_MS;
  const { back, gaps } = await lead(["failed", "complete", "complete"], notedAt);
  expect(back).toEqual([336, 336, 26]);
  expect(gaps).toEqual([{ fromMs: notedAt - OPTIONS.minAgeMs, toMs: NOW_MS - 335 * HOUR_MS }]);
});
