import { expect, test } from "vitest";
import { createTimeline } from "../../../../../src/bridge/console/history/timeline.ts";

const found = (offset: number, atMs: number, length = 1) => ({
  ...{ atMs, rank: 0, length, value: offset },
  place: { topic: "t", partition: 0, offset },
});
const valuesOf = (shelf: ReturnType<typeof createTimeline<number>>): number[] =>
  shelf.all().map(({ value }) => value);

test("returns entries in order of time, each record once", () => {
  const shelf = createTimeline<number>();
  for (const [offset, atMs] of [
    [3, 30],
    [1, 30],
    [2, 20],
    [3, 30],
  ] as const)
    shelf.add(found(offset, atMs));
  expect(valuesOf(shelf)).toEqual([2, 1, 3]);
  expect(shelf.isTruncated()).toBe(false);
});

test("keeps the newest entries within the limit", () => {
  const shelf = createTimeline<number>({ maxCount: 10, maxLength: 1_000 });
  // The newest come first, as where it is searched back in time.
  for (let nth = 99; nth >= 0; nth -= 1) shelf.add(found(nth, nth));
  expect(valuesOf(shelf)).toEqual([90, 91, 92, 93, 94, 95, 96, 97, 98, 99]);
  expect(shelf.isTruncated()).toBe(true);
});

test("keeps fewer when they are large", () => {
  const shelf = createTimeline<number>({ maxCount: 10, maxLength: 1_000 });
  for (let nth = 0; nth < 5; nth += 1) shelf.add(found(nth, nth, 400));
  expect(valuesOf(shelf)).toEqual([3, 4]);
});
