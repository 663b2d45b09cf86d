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
