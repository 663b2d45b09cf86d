import { expect, test } from "vitest";
import { BoundedMap, Ring } from "../../../../src/sandbox/runtime/bounded.ts";
import { createLedger } from "../../../../src/sandbox/transactions/ledger.ts";

test("every execution is counted, and doubles are named, over many quotes", () => {
  const ledger = createLedger(20_000);
  for (let nth = 0; nth < 20_000; nth += 1) expect(ledger.execute(`quote-${nth}`)).toBe(1);
  for (let nth = 0; nth < 20_000; nth += 1000) expect(ledger.execute(`quote-${nth}`)).toBe(2);
  expect(ledger.execute("quote-0")).toBe(3);
  const { executedTwice, ...totals } = ledger.totals();
  expect(totals).toEqual({ executions: 20_021, quotes: 20_000, executedTwiceCount: 20, exact: true });
  expect(executedTwice).toHaveLength(20);
  expect(executedTwice).toContainEqual({ quoteId: "quote-0", executions: 3 });
  expect(ledger.executionsOf("quote-1")).toBe(1);
  expect(ledger.executionsOf("quote-x")).toBe(0);
});

test("the last `capacity` executed quotes are remembered, and the totals say when older ones no longer are", () => {
  const ledger = createLedger(10);
  for (let nth = 0; nth < 20; nth += 1) ledger.execute(`quote-${nth}`);
  expect(ledger.totals().exact).toBe(true);
  expect(ledger.executionsOf("quote-0")).toBe(1);
  ledger.execute("quote-20");
  expect(ledger.totals()).toMatchObject({ executions: 21, quotes: 21, exact: false });
  expect(ledger.executionsOf("quote-0")).toBe(0);
  for (let nth = 11; nth <= 20; nth += 1) expect(ledger.executionsOf(`quote-${nth}`)).toBe(1);
});

test("a ring and a bounded map keep the newest, newest first", () => {
  const ring = new Ring<number>(3);
  const map = new BoundedMap<number>(3);
  expect(ring.newest()).toEqual([]);
  for (let nth = 1; nth <= 2; nth += 1) ring.push(nth);
  expect(ring.newest()).toEqual([2, 1]);
  for (let nth = 1; nth <= 7; nth += 1) {
    ring.push(nth);
    map.add(`key-${nth}`, nth);
  }
  expect(ring.newest()).toEqual([7, 6, 5]);
  expect(ring.newest(2)).toEqual([7, 6]);
  expect(map.newest()).toEqual([7, 6, 5]);
  expect(map.get("key-4")).toBeUndefined();
  expect(map.get("key-5")).toBe(5);
});
