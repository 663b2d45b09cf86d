import { expect, test } from "vitest";
import { amountLimit } from "../../../src/commands-to-results/amount-limit.ts";
import { guardFor } from "../../../src/commands-to-results/guard.ts";
import { acceptRequest, command, createRequest, NOW } from "./commands.ts";

const limits = new Map([
  ["USD", "250000"],
  ["EUR", "200000.50"],
]);
const create = (quotedAmount: string, quotedCurrencyIso: string, baseCurrencyIso = "BRL") =>
  ({ ...createRequest, quotedAmount, quotedCurrencyIso, baseCurrencyIso }) as typeof createRequest;
const accept = (amount: string | null) => acceptRequest({ amount });

test.each([
  ["a create at its currency's limit", create("250000", "USD"), null],
  ["the same amount with more digits", create("250000.000", "USD"), null],
  ["a create above it by the smallest part", create(`250000.${"0".repeat(100)}1`, "USD"), "250000"],
  ["a create with more digits before the point", create("1000000", "EUR"), "200000.50"],
  ["a create that names the currency as the other one", create("250001", "BRL", "USD"), "250000"],
  ["a create of two currencies with limits", create("200001", "USD", "EUR"), "200000.50"],
  ["a create in currencies without a limit", create("9999999", "BRL", "AUD"), null],
  ["an accept at the smallest limit", accept("200000.5"), null],
  ["an accept above the smallest limit", accept("200000.51"), "200000.50"],
  ["an accept that names no amount", accept(null), null],
])("%s", (_, request, limit) => {
  const said = amountLimit(limits)(request);
  if (limit === null) expect(said).toBeNull();
  else expect(said).toContain(`is above ${limit}, the limit`);
});

test("the limit of any other currency", () => {
  const judge = amountLimit(new Map([...limits, ["*", "1000"]]));
  expect(judge(create("1001", "AUD"))).toContain("above 1000");
  expect(judge(create("1001", "USD"))).toBeNull();
  expect(judge(accept("1001"))).toContain("above 1000");
});

test("a single limit is the one of every accept; without any nothing is judged", () => {
  expect(amountLimit(new Map([["USD", "10"]]))(accept("11"))).not.toBeNull();
  expect(amountLimit(new Map())(accept("11"))).toBeNull();
});

test("a command above the limit is rejected by the bridge", () => {
  const guard = guardFor({ maxAgeMs: 60_000, maxAmounts: limits });
  expect(guard(command(accept("250000")), NOW)).toMatchObject({
    outcome: "REJECTED",
    decidedBy: "BRIDGE",
    error: { code: "AMOUNT_ABOVE_LIMIT" },
  });
  expect(guard(command(accept("1")), NOW)).toBeNull();
});
