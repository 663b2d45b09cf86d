import { expect, test } from "vitest";
import { backfillBatch } from "../../../src/log-to-events/backfill-batch.ts";

const at = (minute: number): string => `2026-11-21T12:${String(minute).padStart(2, "0")}:00Z`;
const of = (transactionId: string, createdAt: string, payload = "{}") => ({
  transactionId,
  status: `S-${createdAt}`,
  createdAt,
  payload,
});

test("the notifications of a transaction are sorted by time, those without an instant last, each once", () => {
  const batch = backfillBatch();
  for (const [n, createdAt] of [at(5), "", at(1), at(3), "yesterday"].entries())
    batch.add(`${n}`, of("tx", createdAt));
  batch.add("2", of("tx", at(1)));
  batch.add("5", of("ty", at(2)));
  const texts = batch.byTransaction().map((list) => list.map(({ createdAt }) => createdAt));
  expect(texts).toEqual([[at(1), at(3), at(5), "", "yesterday"], [at(2)]]);
});

test("a full batch takes more of a transaction that it holds, up to twice its size, and no other transaction", () => {
  const batch = backfillBatch();
  const large = "x".repeat(1_048_576);
  for (let n = 0; n < 200; n++) batch.add(`a${n}`, of("first", at(n % 60), large));
  for (let n = 0; n < 10; n++) batch.add(`b${n}`, of(`other-${n}`, at(1), large));
  const [first, ...others] = batch.byTransaction();
  expect(first?.length).toBeGreaterThan(32);
  expect(first?.length).toBeLessThanOrEqual(64);
  expect(others).toEqual([]);
});

test("a hundred thousand notifications of one transaction are sorted fast", () => {
  const batch = backfillBatch();
  for (let n = 0; n < 100_000; n++)
    batch.add(`${n}`, of("tx", `2026-11-21T12:00:00.${String(n % 1_000).padStart(3, "0")}Z`));
  expect(batch.byTransaction()[0]?.length).toBeGreaterThan(10_000);
});
