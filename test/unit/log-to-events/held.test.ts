import { expect, test } from "vitest";
import { holder } from "../../../src/log-to-events/held.ts";

const at = (minute: number): string => `2026-11-21T12:${String(minute).padStart(2, "0")}:00Z`;
const of = (transactionId: string, createdAt: string, payload = "{}") => ({
  transactionId,
  status: `S-${createdAt}`,
  createdAt,
  payload,
});

test("the notifications of a transaction come by time, those without an instant last, each once", () => {
  const held = holder();
  for (const [n, createdAt] of [at(5), "", at(1), at(3), "yesterday"].entries())
    held.add(`${n}`, of("tx", createdAt));
  held.add("2", of("tx", at(1)));
  held.add("5", of("ty", at(2)));
  const texts = held.byTransaction().map((list) => list.map(({ createdAt }) => createdAt));
  expect(texts).toEqual([[at(1), at(3), at(5), "", "yesterday"], [at(2)]]);
});

test("a full one takes more of what it has, up to twice its size, and nothing new", () => {
  const held = holder();
  const large = "x".repeat(1_048_576);
  for (let n = 0; n < 200; n++) held.add(`a${n}`, of("first", at(n % 60), large));
  for (let n = 0; n < 10; n++) held.add(`b${n}`, of(`other-${n}`, at(1), large));
  const [first, ...others] = held.byTransaction();
  expect(first?.length).toBeGreaterThan(32);
  expect(first?.length).toBeLessThanOrEqual(64);
  expect(others).toEqual([]);
});

test("hundreds of thousands of one transaction are put in order soon", () => {
  const held = holder();
  for (let n = 0; n < 100_000; n++)
    held.add(`${n}`, of("tx", `2026-11-21T12:00:00.${String(n % 1_000).padStart(3, "0")}Z`));
  expect(held.byTransaction()[0]?.length).toBeGreaterThan(10_000);
});
