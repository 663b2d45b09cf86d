import { expect, it } from "vitest";
import {
  MINUTE_MS,
  minuteSamples,
  newestAt,
  topicRates,
} from "../../../../../src/bridge/console/overview/rates.ts";

const NOW = 1_000 * MINUTE_MS + 30_000;
const border = (minutesAgo: number): number => (1_000 - minutesAgo) * MINUTE_MS;

it("counts the records between two borders, and says null where one is not known", () => {
  const rates = topicRates();
  expect(rates.missing(NOW)).toHaveLength(60);
  expect(rates.missing(NOW)[0]).toBe(border(0));
  rates.put(
    border(0),
    new Map([
      [0, 10],
      [1, 7],
    ]),
    NOW,
  );
  rates.put(
    border(1),
    new Map([
      [0, 4],
      [1, 7],
    ]),
    NOW,
  );
  expect(rates.perMinute(NOW).slice(-3)).toEqual([null, 6, null]);
  rates.putEnds(
    new Map([
      [0, 12],
      [1, 7],
    ]),
  );
  expect(rates.perMinute(NOW).slice(-2), "the minute that goes on counts as far as it has come").toEqual([
    6, 2,
  ]);
  rates.put(
    border(59),
    new Map([
      [0, 1],
      [1, 1],
    ]),
    NOW,
  );
  expect(rates.sinceHour(NOW)).toBe(17);
  expect(rates.missing(NOW)).toHaveLength(57);
});

it("forgets the borders of a topic that was created anew", () => {
  const rates = topicRates();
  rates.put(border(1), new Map([[0, 400]]), NOW);
  rates.put(border(0), new Map([[0, 3]]), NOW);
  expect(rates.missing(NOW)).toContain(border(1));
  rates.putEnds(new Map([[0, 5]]));
  expect(rates.perMinute(NOW).slice(-2)).toEqual([null, 2]);
});

it("forgets borders that are older than an hour", () => {
  const rates = topicRates();
  rates.put(border(59), new Map([[0, 1]]), NOW);
  rates.put(border(-1), new Map([[0, 2]]), NOW + MINUTE_MS);
  rates.putEnds(new Map([[0, 2]]));
  expect(rates.sinceHour(NOW + MINUTE_MS)).toBeNull();
});

it("keeps the last sample of each minute of an hour", () => {
  const { add, hour } = minuteSamples();
  add(NOW - 61 * MINUTE_MS, 1);
  add(NOW - 5, 2);
  add(NOW, 3);
  expect(hour(NOW)).toEqual([...Array.from({ length: 59 }, () => null), 3]);
});

it("finds the second of the newest record", async () => {
  const at = 123_456_789;
  let asked = 0;
  const found = await newestAt(
    (ms) => {
      asked += 1;
      return Promise.resolve(at >= ms);
    },
    0,
    30 * 86_400_000,
  );
  expect(Math.abs(found - at)).toBeLessThanOrEqual(1_000);
  expect(asked).toBeLessThan(25);
});
