import { expect, test } from "vitest";
import { paceOf, type Pace } from "../../../../src/kafka/consume/pace.ts";

const PLACES = 100;
const HELD_MS = 80;

const used = (): Pace => {
  const pace = paceOf(PLACES);
  for (let i = 0; i < 1_000; i++) pace.ended(HELD_MS);
  return pace;
};

/** When each of so many tasks begins that are ready together at 0, in a house where `running` go on. */
const beginnings = (pace: Pace, { running, count }: { running: number; count: number }): number[] => {
  const times: number[] = [];
  for (let now = 0; times.length < count; now++) {
    while (times.length < count && pace.waitMs(running + times.length, now) === 0) {
      pace.began(now);
      times.push(now);
    }
  }
  return times;
};

test("half of the places are given out at once, whatever was before", () => {
  expect(beginnings(used(), { running: 0, count: PLACES / 2 })).toEqual(Array(PLACES / 2).fill(0));
});

test("the others one by one, in about half the time that they take to come free", () => {
  const times = beginnings(used(), { running: PLACES / 2, count: PLACES / 2 });
  const lastMs = times.at(-1)!;
  expect(lastMs).toBeLessThan(HELD_MS / 3);
  expect(lastMs).toBeGreaterThan(HELD_MS / 5);
  for (const ms of new Set(times)) expect(times.filter((time) => time === ms).length).toBeLessThanOrEqual(7);
});

test("a pause is not made up for by a convoy", () => {
  const pace = used();
  pace.began(0);
  expect(pace.waitMs(PLACES / 2, 10_000)).toBe(0);
  const begun = Array.from({ length: 10 }, () => {
    const ready = pace.waitMs(PLACES / 2, 10_000) === 0;
    if (ready) pace.began(10_000);
    return ready;
  });
  expect(begun.filter(Boolean).length).toBeLessThan(8);
});

test("slow tasks hold nobody up for long", () => {
  const pace = paceOf(4);
  for (let i = 0; i < 1_000; i++) pace.ended(60_000);
  pace.began(0);
  expect(pace.waitMs(3, 0)).toBeLessThanOrEqual(200);
});

test("nothing is known yet, and nobody waits", () => {
  const pace = paceOf(2);
  pace.began(5);
  expect(pace.waitMs(1, 5)).toBe(0);
});
