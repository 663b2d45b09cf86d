import { expect, test } from "vitest";
import { Watermark } from "../../../../src/kafka/consume/watermark.ts";
import { randomFrom, shuffled } from "../../../support/random.ts";

test("is the oldest unfinished offset, whatever the order of finishing, and never goes back", () => {
  for (let seed = 0; seed < 30; seed++) {
    const random = randomFrom(seed);
    const watermark = new Watermark(0);
    const unfinished = new Set<number>();
    let offset = 0;
    let last = 0;
    for (let step = 0; step < 4_000; step++) {
      if (random() < 0.5) {
        offset += random() < 0.9 ? 1 : 5;
        watermark.begin(offset, 1_000 + offset);
        unfinished.add(offset);
      } else {
        const [first] = unfinished;
        const chosen = random() < 0.3 ? first : shuffled([...unfinished].slice(0, 50), random)[0];
        if (chosen !== undefined) {
          watermark.finish(chosen);
          unfinished.delete(chosen);
        }
      }
      if (random() < 0.2) {
        const committable = watermark.committable();
        expect(committable).toBe(unfinished.size > 0 ? Math.min(...unfinished) : watermark.next);
        expect(committable).toBeGreaterThanOrEqual(last);
        last = committable;
      }
    }
  }
});

test("its mark is the record at the offset to commit, or the last one before it", () => {
  const watermark = new Watermark(10, { offset: 8, timestampMs: 1 });
  expect([watermark.last, watermark.mark]).toEqual(Array(2).fill({ offset: 8, timestampMs: 1 }));
  watermark.begin(10, 5);
  watermark.begin(11, 6);
  watermark.finish(11);
  expect(watermark.committable()).toBe(10);
  expect(watermark.mark).toEqual({ offset: 10, timestampMs: 5 });
  expect(watermark.last).toEqual({ offset: 11, timestampMs: 6 });
  watermark.finish(10);
  expect(watermark.committable()).toBe(12);
  expect(watermark.mark).toEqual({ offset: 11, timestampMs: 6 });
});

test("offsets without a record after the last one are committed with it", () => {
  const watermark = new Watermark(0);
  watermark.begin(0, 1);
  watermark.pass(3);
  watermark.pass(2);
  expect(watermark.committable()).toBe(0);
  watermark.finish(0);
  expect(watermark.committable()).toBe(3);
  expect(watermark.last).toEqual({ offset: 0, timestampMs: 1 });
});
