import { expect, it } from "vitest";
import { backwardChunks } from "../../../../../src/bridge/console/doubts/backward-chunks.ts";
import { recordsIn } from "../../../../../src/bridge/console/ranges.ts";
import type { Ranges } from "../../../../../src/kafka/consume/tail.ts";

const ranges = (...ends: [number, number][]): Ranges =>
  new Map(ends.map(([startOffset, endOffset], partition) => [partition, { startOffset, endOffset }]));

it("goes back to the beginning in growing chunks, each record once", () => {
  const all = ranges([0, 3_000_000], [500, 100_000], [7, 7]);
  const stretches = backwardChunks(all);
  const sizes: number[] = [];
  const ends = new Map([...all].map(([partition, { endOffset }]) => [partition, endOffset]));
  for (let next = stretches.next(new Map()); next; next = stretches.next(new Map())) {
    for (const [partition, { startOffset, endOffset }] of next) {
      expect(endOffset).toBe(ends.get(partition));
      ends.set(partition, startOffset);
    }
    sizes.push(recordsIn(next));
    stretches.read(next);
  }
  expect([...ends.values()]).toEqual([0, 500, 7]);
  expect(sizes.slice(0, 2)).toEqual([60_000, 219_500]);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(300_000);
  expect(stretches.unread()).toEqual([]);
});

it("leaves out what retention deleted meanwhile", () => {
  const stretches = backwardChunks(ranges([0, 500_000]));
  const first = stretches.next(new Map())!;
  stretches.read(first);
  expect(stretches.next(new Map([[0, 300_000]]))).toEqual(ranges([300_000, 440_000]));
  expect(stretches.next(new Map([[0, 450_000]]))).toBeNull();
});
