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

const local = (minute: number, between = "T"): string => `2026-11-21${between}12:0${minute}:00`;

test.each([
  ["in the log's order, which ascends", [1, 2, 3], ["a", "b", "c"]],
  ["in the log's order, which does neither", [], ["a", "b", "c"]],
  ["in the log's order, which descends and ascends as often", [3, 2, 4], ["a", "b", "c"]],
  ["against the log's order, which descends", [3, 2, 1], ["c", "b", "a"]],
  ["against the log's order, which descends more often", [3, 2, 1, 4], ["c", "b", "a"]],
])("what has the same time, or none that can be compared, comes %s", (_, shown, expected) => {
  for (const minutes of [shown.map(at), shown.map((minute) => local(minute))])
    for (const tied of [at(7), local(7), "21/11/2026 12:07", ""]) {
      const batch = backfillBatch();
      for (const createdAt of minutes) batch.shown(of("other", createdAt));
      for (const status of ["a", "b", "c"]) batch.add(status, { ...of("tx", tied), status });
      const [statuses] = batch.byTransaction().map((list) => list.map(({ status }) => status));
      expect(statuses, `${minutes.join()} ${tied}`).toEqual(expected);
    }
});

test("local times are compared as texts, whatever the log's order is", () => {
  for (const log of [
    [local(4), local(3, " "), local(2), local(1, " ")],
    [local(1, " "), local(2), local(3, " "), local(4)],
  ]) {
    const batch = backfillBatch();
    for (const [n, createdAt] of ["", at(9), ...log].entries()) {
      batch.shown(of("tx", createdAt));
      batch.add(`${n}`, of("tx", createdAt));
    }
    const [texts] = batch.byTransaction().map((list) => list.map(({ createdAt }) => createdAt));
    expect(texts).toEqual([at(9), local(1, " "), local(2), local(3, " "), local(4), ""]);
  }
});

test("what does not fit into twice its size is left out with all of its transaction", () => {
  const batch = backfillBatch();
  const large = "x".repeat(1_048_576);
  const rounds = [3, 2, 1];
  for (const minute of rounds)
    for (let n = 0; n < 33; n++) batch.add(`${n} ${minute}`, of(`tx-${n}`, at(minute), large));
  // Passed over while the batch was full, and still so.
  for (const minute of rounds) batch.add(`late ${minute}`, of("late", at(minute)));
  const lists = batch.byTransaction();
  expect(lists.length).toBeGreaterThan(15);
  expect(lists.length).toBeLessThan(32);
  for (const list of lists) expect(list.map(({ createdAt }) => createdAt)).toEqual([at(1), at(2), at(3)]);
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
