import { expect, it } from "vitest";
import { quoteKey } from "../../../src/commands-to-results/quote-key.ts";

const UUID = "3f2504e0-4f89-11d3-9a0c-0305e82c3301";
const BARE = UUID.replaceAll("-", "");

it.each([
  [
    "a UUID",
    UUID,
    [UUID.toUpperCase(), BARE, BARE.toUpperCase(), `{${UUID}}`, `(${BARE})`, `urn:uuid:${UUID}`],
  ],
  ["letters", "quote-1", ["QUOTE-1", "Quote-1", "quote-\uff11", "quo\u200bte-1", "q\u0301uote-1"]],
  ["a number", "42", ["042", "0042", "\uff14\uff12"]],
  ["sharp s", "strasse", ["STRASSE", "stra\u00dfe", "STRA\u1e9eE"]],
])("is one for all spellings of %s", (_, quoteId, spellings) => {
  for (const spelling of [quoteId, ...spellings]) expect(quoteKey(spelling), spelling).toBe(quoteId);
});

it("differs where no partner could take one quote for another", () => {
  const quotes = ["q-1", "q-2", "q1", "q_1", "q 1", "1", "10", "0", "1.0", "q-01", UUID, `${UUID}0`];
  expect(new Set(quotes.map(quoteKey)).size).toBe(quotes.length);
});

it("gives its own key for a key, whatever character is in it", () => {
  const odd: string[] = [];
  for (let code = 0; code <= 0x10ffff; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const key = quoteKey(`a${String.fromCodePoint(code)}1`);
    if (quoteKey(key) !== key) odd.push(code.toString(16));
  }
  expect(odd).toEqual([]);
  for (const quoteId of ["Q-1", `{${UUID.toUpperCase()}}`, "007", "É"])
    expect(quoteKey(quoteKey(quoteId))).toBe(quoteKey(quoteId));
});
