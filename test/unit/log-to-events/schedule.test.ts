import { expect, test } from "vitest";
import type { Reconcile, Report, RunRequest } from "../../../src/log-to-events/flow.ts";
import { reconcileRepeatedly, periodOf } from "../../../src/log-to-events/schedule.ts";
import { systemClock, type Clock } from "../../../src/runtime/clock.ts";

const HOUR_MS = 3_600_000;
const OPTIONS = { everyMs: HOUR_MS, windowMs: 26 * HOUR_MS, lookbackMs: 72 * HOUR_MS, minAgeMs: 600_000 };
const NOW_MS = Date.parse("2026-11-21T12:00:00Z");

test("a run looks far back at a start, until that was complete, and once a day; then as far as the window", () => {
  const back = (last: { wholeAt: number | null; lookbackAt: number | null }): number =>
    (NOW_MS - periodOf(NOW_MS, OPTIONS, last).fromMs) / HOUR_MS;
  expect(back({ wholeAt: null, lookbackAt: null })).toBe(72);
  const lookbackAt = NOW_MS - HOUR_MS;
  expect(back({ wholeAt: NOW_MS - HOUR_MS, lookbackAt })).toBe(26);
  expect(back({ wholeAt: NOW_MS - HOUR_MS, lookbackAt: NOW_MS - 24 * HOUR_MS })).toBe(72);
});

test("however long no run read everything, the next one looks back behind the last that did, but two weeks at most", () => {
  const fromMs = (hoursAgo: number): number => {
    const at = NOW_MS - hoursAgo * HOUR_MS;
    return periodOf(NOW_MS, OPTIONS, { wholeAt: at, lookbackAt: at }).fromMs;
  };
  expect(fromMs(100)).toBe(NOW_MS - 100 * HOUR_MS - OPTIONS.minAgeMs);
  expect(fromMs(1_000)).toBe(NOW_MS - 14 * 24 * HOUR_MS);
});

test("runs follow one another until the end, and far looks end with a complete one", async () => {
  const stop = new AbortController();
  const requests: RunRequest[] = [];
  // Incomplete: all was read, and something of it is not understood.
  const results: Report["result"][] = ["failed", "suspicious", "incomplete", "complete", "complete"];
  const run: Reconcile = (request) => {
    requests.push(request);
    const result = results[requests.length - 1] ?? "complete";
    if (requests.length === results.length) stop.abort(new Error("enough"));
    return Promise.resolve({
      result,
      entries: 0,
      known: 0,
      published: 0,
      tooYoung: 0,
      unreadable: 0,
      reasons: [],
      isWhole: result === "complete" || result === "incomplete",
    });
  };
  let nowMs = NOW_MS;
  const clock: Clock = {
    ...systemClock,
    now: () => nowMs,
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
  const deps = { clock, untilOpen, ended: ({ result }: Report) => void ended.push(result) };
  await expect(reconcileRepeatedly(OPTIONS, run, deps, stop.signal)).rejects.toThrow("enough");
  expect(ended).toEqual(results);
  expect(opened).toBe(results.length);
  expect(requests.map(({ period: window }) => (window.toMs - window.fromMs) / HOUR_MS)).toEqual([
    72, 72, 72, 26, 26,
  ]);
});
