import { expect, test } from "vitest";
import type { Period } from "../../../src/log-to-events/period.ts";
import { reconcileRepeatedly } from "../../../src/log-to-events/schedule.ts";

const HOUR_MS = 3_600_000;
const OPTIONS = { everyMs: HOUR_MS, windowMs: 26 * HOUR_MS, lookbackMs: 72 * HOUR_MS };
const NOW_MS = Date.parse("2026-11-21T12:00:00Z");

/** Runs an hour apart, whole or not; the clock is ahead by so much while a run goes on, and pauses come before. */
const lead = async (
  wholes: readonly boolean[],
  notedAt: number | null,
  aheadMs: readonly number[] = [],
  options = OPTIONS,
  pausedMs: readonly number[] = [],
) => {
  const stop = new AbortController();
  const hours: number[] = [];
  const run = ({ fromMs, toMs }: Period) => {
    const isWhole = wholes[hours.length] ?? true;
    hours.push((toMs - fromMs) / HOUR_MS);
    if (hours.length === wholes.length) stop.abort(new Error("enough"));
    return Promise.resolve({ isWhole });
  };
  let nowMs = NOW_MS;
  const clock = {
    now: () => nowMs + (aheadMs[hours.length] ?? 0),
    sleep: (ms: number, signal?: AbortSignal) => {
      nowMs += ms;
      signal?.throwIfAborted();
      return Promise.resolve();
    },
  };
  const untilOpen = (): Promise<void> => {
    nowMs += pausedMs[hours.length] ?? 0;
    return Promise.resolve();
  };
  const running = reconcileRepeatedly(options, { clock, untilOpen, run }, notedAt, stop.signal);
  await expect(running).rejects.toThrow("enough");
  return hours;
};

const times = (count: number, isWhole: boolean): boolean[] => Array<boolean>(count).fill(isWhole);
const RUNS = [false, false, true, true, true];

test("runs look back to the window of the last whole one, the first whole one further", async () => {
  expect(await lead(RUNS, NOW_MS - HOUR_MS)).toEqual([72, 72, 72, 27, 27]);
  // Back to where the first run did.
  expect(await lead(RUNS, null)).toEqual([72, 73, 74, 27, 27]);
});

test("one run a day looks far back", async () => {
  const back = await lead(times(50, true), NOW_MS);
  expect(back.flatMap((hours, at) => (hours === 72 ? [at] : []))).toEqual([0, 24, 48]);
});

test("a new leader looks back to the window of the last complete run of an earlier one, two weeks at most", async () => {
  expect(await lead(RUNS, NOW_MS - 120 * HOUR_MS)).toEqual([146, 147, 148, 27, 27]);
  expect(await lead([false, true, true], NOW_MS - 1_000 * HOUR_MS)).toEqual([336, 336, 27]);
});

test("after an outage the leader looks back to before it", async () => {
  const back = await lead([...times(120, false), true, true], null);
  expect(back[0]).toBe(72);
  expect(back.slice(-2)).toEqual([192, 27]);
});

test("a run after some that failed, or after a pause, reaches back as far, however narrow the windows are", async () => {
  const narrow = { ...OPTIONS, windowMs: 2 * HOUR_MS, lookbackMs: 6 * HOUR_MS };
  const back = await lead([true, ...times(10, false), true, true], NOW_MS, [], narrow);
  expect(back.slice(-2)).toEqual([13, 3]);
  expect(await lead(times(4, true), NOW_MS, [], narrow, [0, 0, 10 * HOUR_MS])).toEqual([6, 3, 13, 3]);
});

test("what was read under a clock that was ahead is not believed when that instant has come", async () => {
  const back = await lead([true, true, ...times(121, false), true, true], NOW_MS, [0, 120 * HOUR_MS]);
  expect(back.slice(-2)).toEqual([336, 27]);
});

test("an instant that is noted ahead of this clock says nothing: the first run looks back two weeks", async () => {
  expect(await lead([true, true], NOW_MS + 1_000 * HOUR_MS)).toEqual([336, 27]);
});

test.each([10_000, -10_000])(
  "one run under a clock %i hours off stops no look-back, and shortens none",
  async (hours) => {
    const back = await lead(times(28, true), NOW_MS - HOUR_MS, [0, hours * HOUR_MS]);
    expect(back.slice(0, 4)).toEqual([72, 336, 336, 27]);
    expect(back.slice(4)).toContain(72);
  },
);
