import { describe, expect, test } from "vitest";
import {
  mergePartitions,
  readCursor,
  writeCursor,
  type PartitionSlice,
} from "../../../../../src/bridge/console/dead-letters/merge-partitions.ts";
import { letter } from "../../../operator/replay/letters.ts";

const at = (partition: number, offset: number, timestampMs: number) =>
  letter(offset, { place: { partition, offset }, timestampMs });
const stretch = (over: Partial<PartitionSlice>): PartitionSlice => ({
  ...{ start: 0, low: 0, high: 100, lowMs: 0, letters: [] },
  ...over,
});
const timesOf = (page: ReturnType<typeof mergePartitions>): number[] =>
  page.letters.map(({ timestampMs }) => timestampMs);

describe("a page", () => {
  test("takes the newest of all partitions, and the next page begins after them", () => {
    const stretches = new Map([
      [0, stretch({ letters: [at(0, 3, 30), at(0, 7, 70)] })],
      [1, stretch({ letters: [at(1, 4, 40), at(1, 5, 50), at(1, 6, 60)] })],
    ]);
    const page = mergePartitions(stretches, 3);
    expect(timesOf(page)).toEqual([70, 60, 50]);
    expect([...page.next]).toEqual([
      [0, 4],
      [1, 5],
    ]);
    expect(page.incomplete).toEqual([]);
  });

  test("keeps the order of a partition, whatever its timestamps say", () => {
    const stretches = new Map([
      [0, stretch({ letters: [at(0, 3, 90), at(0, 7, 10)] })],
      [1, stretch({ letters: [at(1, 4, 50)] })],
    ]);
    expect(timesOf(mergePartitions(stretches, 9))).toEqual([50, 10, 90]);
  });

  test("ends where an unread record could be newer", () => {
    const stretches = new Map([
      [0, stretch({ low: 50, lowMs: 60, letters: [at(0, 70, 70)] })],
      [1, stretch({ letters: [at(1, 4, 40), at(1, 6, 65)] })],
    ]);
    const page = mergePartitions(stretches, 9);
    expect(timesOf(page)).toEqual([70, 65]);
    expect(page.incomplete).toEqual([0]);
    expect([...page.next]).toEqual([
      [0, 50],
      [1, 5],
    ]);
  });

  test("goes on where every unread record is older", () => {
    const stretches = new Map([
      [0, stretch({ low: 50, lowMs: 20, letters: [] })],
      [1, stretch({ letters: [at(1, 4, 40)] })],
    ]);
    expect(timesOf(mergePartitions(stretches, 1))).toEqual([40]);
    expect(mergePartitions(stretches, 2).incomplete).toEqual([0]);
  });

  test("of nothing is complete", () => {
    expect(mergePartitions(new Map(), 50)).toMatchObject({ letters: [], incomplete: [] });
  });
});

test("a cursor is read back as it was written; anything else is none", () => {
  const next = new Map([
    [0, 12],
    [11, 9_007_199_254],
  ]);
  expect(readCursor(writeCursor(next))).toEqual(next);
  for (const text of [
    "",
    "-",
    "1-2.",
    "1--2",
    "a-1",
    "1-2,3-4",
    "1-2\n",
    `1-${"9".repeat(20)}`,
    "1-2.".repeat(99_999),
  ])
    expect(readCursor(text)).toBeNull();
});
