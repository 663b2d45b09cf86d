import { expect, test } from "vitest";
import { createArrivals } from "../../../src/webhooks-to-events/arrivals.ts";

test.each([
  ["the first", [0, 1, 2]],
  ["the last", [2, 1, 0]],
  ["the middle", [1, 0, 2]],
])("the oldest of the others gives way when %s has arrived first", (_, order) => {
  const arrivals = createArrivals();
  const given: number[] = [];
  const three = [0, 1, 2].map((nth) => arrivals.add(() => given.push(nth), 0));
  const left = new Set([0, 1, 2]);
  for (const nth of order) {
    expect(arrivals.giveUpIfSlow(250)).toBe(true);
    expect(given.at(-1)).toBe(Math.min(...left));
    arrivals.remove(three[nth]!);
    left.delete(nth);
  }
  expect(arrivals.giveUpIfSlow(250)).toBe(false);
});
