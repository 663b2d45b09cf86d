import { expect, test } from "vitest";
import type { Reconcile, Report, RunRequest } from "../../../src/log-to-events/flow.ts";
import { reconcileRepeatedly } from "../../../src/log-to-events/schedule.ts";
import { systemClock, type Clock } from "../../../src/runtime/clock.ts";

const HOUR_MS = 3_600_000;
const OPTIONS = { everyMs: HOUR_MS, windowMs: 26 * HOUR_MS, lookbackMs: 72 * HOUR_MS, minAgeMs: 600_000 };
const NOW_MS = Date.parse("2026-11-21T12:00:00Z");

/** Runs an hour apart, with these results; the clock is ahead by so much while a run goes on, and pauses come before. */
const lead = async (
  results: Report["result"][],
  notedAt: number | null,
  aheadMs: readonly number[] = [],
  options = OPTIONS,
  pausedMs: readonly number[] = [],
) => {
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
    nowMs += pausedMs[opened] ?? 0;
    opened += 1;
    return Promise.resolve();
  };
  const deps = {
    clock,
    untilOpen,
    ended: ({ result }: Report) => void ended.push(result),
  };
  await expect(reconcileRepeatedly(options, run, deps, notedAt, stop.signal)).rejects.toThrow("enough");
  expect(ended).toEqual(results);
  expect(opened).toBe(results.length);
  return requests.map(({ period }) => (period.toMs - period.fromMs) / HOUR_MS);
};

/** Incomplete: all was read, and something of it is not understood. */
const RESULTS: Report["result"][] = ["failed", "suspicious", "incomplete", "complete", "complete"];
const failing = (hours: number): Report["result"][] => Array<"failed">(hours).fill("failed");

test("runs follow one another until the end, and far looks end with one that reads everything", async () => {
  expect(await lead(RESULTS, NOW_MS - HOUR_MS)).toEqual([72, 72, 72, 26, 26]);
  // Back to where the first run did.
  expect(await lead(RESULTS, null)).toEqual([72, 73, 74, 26, 26]);
});

test("one run a day looks far back", async () => {
  const back = await lead(Array<"complete">(50).fill("complete"), NOW_MS);
  expect(back.flatMap((hours, at) => (hours === 72 ? [at] : []))).toEqual([0, 24, 48]);
});

test("a new leader looks back to the window of the last complete run of an earlier one, two weeks at most", async () => {
  expect(await lead(RESULTS, NOW_MS - 120 * HOUR_MS)).toEqual([146, 147, 148, 26, 26]);
  expect(await lead(["failed", "complete", "complete"], NOW_MS - 1_000 * HOUR_MS)).toEqual([336, 336, 26]);
});

test("after an outage the leader looks back to before it", async () => {
  const back = await lead([...failing(120), "complete", "complete"], null);
  expect(back[0]).toBe(72);
  expect(back.slice(-2)).toEqual([192, 26]);
  const later = await lead(["complete", ...failing(99), "complete", "complete"], NOW_MS);
  expect(later.slice(-2)).toEqual([126, 26]);
});

test("a run after one that failed reaches back to the window of the last whole one, however narrow that is", async () => {
  const narrow = { ...OPTIONS, windowMs: 2 * HOUR_MS, lookbackMs: 6 * HOUR_MS };
  const back = await lead(["complete", ...failing(10), "complete", "complete"], NOW_MS, [], narrow);
  expect(back.slice(-2)).toEqual([13, 2]);
});

test("a run after a pause reaches back to the window of the last whole one, however narrow that is", async () => {
  const narrow = { ...OPTIONS, windowMs: 2 * HOUR_MS, lookbackMs: 6 * HOUR_MS };
  const complete = Array<"complete">(4).fill("complete");
  expect(await lead(complete, NOW_MS, [], narrow, [0, 0, 10 * HOUR_MS])).toEqual([6, 2, 13, 2]);
});

test("what was read under a clock that was ahead is not believed when that instant has come", async () => {
  const results: Report["result"][] = ["complete", "complete", ...failing(121), "complete", "complete"];
  const back = await lead(results, NOW_MS, [0, 120 * HOUR_MS]);
  expect(back.slice(-2)).toEqual([336, 26]);
});

test("an instant that is noted ahead of this clock says nothing: the first run looks back two weeks", async () => {
  expect(await lead(["complete", "complete"], NOW_MS + 1_000 * HOUR_MS)).toEqual([336, 26]);
});

test.each([10_000, -10_000])(
  "one run under a clock %i hours off stops no look-back, and shortens none",
  async (hours) => {
    const back = await lead(Array<"complete">(28).fill("complete"), NOW_MS - HOUR_MS, [0, hours * HOUR_MS]);
    expect(back.slice(0, 4)).toEqual([72, 336, 336, 26]);
    expect(back.slice(4)).toContain(72);
  },
);
