import { expect, test } from "vitest";
import { backfillBatch } from "../../../src/log-to-events/backfill.ts";

const at = (minute: number): string => `2026-11-21T12:${String(minute).padStart(2, "0")}:00Z`;
const of = (transactionId: string, createdAt: string, payload = "{}") => ({
  ...{ transactionId, createdAt, payload },
  status: `S-${createdAt}`,
});
const datesOf = (batch: ReturnType<typeof backfillBatch>): string[][] =>
  batch.byTransaction().map((items) => items.map(({ createdAt }) => createdAt));

test("the notifications of a transaction come oldest first, those that cannot be read last and as they came", () => {
  const batch = backfillBatch();
  const others = ["31/10/2026 23:00:00", "01/11/2026 09:00:00", ""];
  const local = ["2026-11-21T07:00:00", "2026-11-21T06:00:00"];
  for (const createdAt of [at(5), ...others, ...local, at(1), at(3)]) batch.add(of("tx", createdAt));
  batch.add(of("ty", at(2)));
  expect(datesOf(batch)).toEqual([[...local.reverse(), at(1), at(3), at(5), ...others], [at(2)]]);
});

test("a full batch takes more of the transactions that it holds, up to twice its size, and no other one", () => {
  const batch = backfillBatch();
  const large = "x".repeat(1_048_576);
  let taken = 0;
  for (let n = 0; n < 100; n++)
    for (const transactionId of [n < 20 ? "first" : "second", "first"]) {
      const notification = of(transactionId, at(n % 60), large);
      if (!batch.hasRoomFor(notification)) continue;
      batch.add(notification);
      taken += 1;
    }
  expect(taken).toBeGreaterThan(60);
  expect(taken).toBeLessThanOrEqual(64);
  expect(batch.hasRoomFor(of("third", at(1)))).toBe(false);
});
