import { expect, it } from "vitest";
import { guardFor } from "../../../src/commands-to-results/guard.ts";
import { acceptRequest, command, createRequest } from "./commands.ts";

const MINUTE = 60_000;
const guard = guardFor({ maxAgeMs: 15 * MINUTE, maxAmounts: new Map() });
const at = (text: string): number => Date.parse(text);
const code = (...args: Parameters<typeof guard>) => guard(...args)?.error?.code ?? null;

const noon = at("2026-11-21T15:00:00Z");
const accept = (issuedAt: number, expiresAt: number | null = null) =>
  command(acceptRequest(), { issuedAt, expiresAt });
const create = (issuedAt: number, expiresAt: number | null = null) =>
  command(createRequest, { issuedAt, expiresAt });

it.each([
  ["now", noon, null, null],
  ["at the edge of its age", noon - 15 * MINUTE, null, null],
  ["too old", noon - 15 * MINUTE - 1, null, "COMMAND_TOO_OLD"],
  ["ahead by less than a clock may be", noon + 5 * MINUTE, null, null],
  ["not expired yet", noon, noon, null],
  ["expired", noon, noon - 1, "COMMAND_EXPIRED"],
  ["expired and too old", 0, noon - 1, "COMMAND_EXPIRED"],
])("holds for both: %s", (_, issuedAt, expiresAt, expected) => {
  expect(code(accept(issuedAt, expiresAt), noon)).toBe(expected);
  expect(code(create(issuedAt, expiresAt), noon)).toBe(expected);
});

it("refuses only accepts from the future", () => {
  expect(code(accept(noon + 5 * MINUTE + 1), noon)).toBe("INVALID_COMMAND");
  expect(code(create(noon + 60 * MINUTE), noon)).toBeNull();
});

it("refuses only accepts of another day, by the date in São Paulo", () => {
  const before = at("2026-11-22T02:59:59.999Z");
  const after = at("2026-11-22T03:00:00Z");
  expect(code(accept(before), after)).toBe("COMMAND_TOO_OLD");
  expect(code(accept(after), before)).toBe("INVALID_COMMAND");
  expect(code(create(before), after)).toBeNull();
  expect(code(accept(before - 1), before)).toBeNull();
  expect(code(accept(after), after + 1)).toBeNull();
  expect(code(accept(at("2026-11-21T23:59:00Z")), at("2026-11-22T00:01:00Z"))).toBeNull();
});

it("remembers no wrong date, in whatever order it is asked", () => {
  const days = guardFor({ maxAgeMs: 1e12, maxAmounts: new Map() });
  const first = at("2018-11-03T12:00:00Z");
  const instants = Array.from({ length: 400 }, (_, i) => first + i * 7 * 3_600_000 + i * 61_000);
  const date = (ms: number) => new Date(ms).toLocaleDateString("en-CA", { timeZone: "America/Sao_Paulo" });
  for (let i = 0; i < 2000; i++) {
    const [a, b] = [instants[(i * 37) % 400]!, instants[(i * 37 + (i % 5)) % 400]!].sort((x, y) => x - y);
    expect(days(accept(a!), b!)?.error?.code ?? null).toBe(date(a!) === date(b!) ? null : "COMMAND_TOO_OLD");
  }
});
