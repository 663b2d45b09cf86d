import { expect, it } from "vitest";
import { quoteKey } from "../../../src/commands-to-results/quote-key.ts";
import { randomFrom } from "../../support/random.ts";

const UUID = "3f2504e0-4f89-11d3-9a0c-0305e82c3301";
const BARE = UUID.replaceAll("-", "");

it.each([
  [
    "a UUID",
    UUID,
    [UUID.toUpperCase(), BARE, BARE.toUpperCase(), `{${UUID}}`, `(${BARE})`, `urn:uuid:${UUID}`],
  ],
  ["letters", "quote-1", ["QUOTE-1", "Quote-1", "quote-\uff11", "quo\u200bte-1", "q\u0301uote-1"]],
  [
    "a number",
    "42",
    ["042", "0042", "\uff14\uff12", "+42", "-42", "+0042", "\u0664\u0662", "\u{1d7d2}\u{1fbf2}"],
  ],
  ["a path", "q-1", ["q-1/", "/q-1", "./q-1", "q-1/.", "x/../q-1", "../q-1", "q-1//", "\\q-1", ".//q-1/./"]],
  [
    "escapes",
    "q-1",
    ["q%2D1", "q%2d1", "%71%2D1", "q%252D1", "q%25252D1", "q%EF%BC%8D1", "q-1%20", "q-1%00"],
  ],
  ["escaped paths", "q/1", ["q%2F1", "q%5C1", "q//1", "q/./1", "q%2F%2e%2F1", "%2Fq/x%2F..%252F1"]],
  ["separators", "q-1", ["q--1", "-q-1", "q-1-", "q-1.", "q-1;", "q-1__", "_q---1", '"q-1"']],
  ["accents in escapes", "ate", ["at%C3%A9", "at%65%cc%81", "AT\u00c9"]],
  ["sharp s", "strasse", ["STRASSE", "stra\u00dfe", "STRA\u1e9eE"]],
])("is one for all spellings of %s", (_, quoteId, spellings) => {
  for (const spelling of [quoteId, ...spellings]) expect(quoteKey(spelling), spelling).toBe(quoteId);
});

it("differs where no partner could take one quote for another", () => {
  const quotes = [
    ...["q-1", "q-2", "q1", "q_1", "q/1", "q+1", "q-01", "1/q", "1", "10", "0", "1.0"],
    UUID,
    `${UUID}0`,
  ];
  expect(new Set(quotes.map(quoteKey)).size).toBe(quotes.length);
});

it("gives its own key for a key, whatever character is in it", () => {
  const odd: string[] = [];
  for (let code = 0; code <= 0x10ffff; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const quoteId = `a${String.fromCodePoint(code)}1`;
    const key = quoteKey(quoteId);
    if (key !== quoteId && quoteKey(key) !== key) odd.push(code.toString(16));
  }
  expect(odd).toEqual([]);
  for (const quoteId of ["Q-1", `{${UUID.toUpperCase()}}`, "007", "É"])
    expect(quoteKey(quoteKey(quoteId))).toBe(quoteKey(quoteId));
});

const escaped = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");

/** What a gateway or a lenient partner may make of any quoteId. */
const respelled: Record<string, (quoteId: string) => string> = {
  encoded: encodeURIComponent,
  "encoded, all of it": escaped,
  "encoded twice": (quoteId) => encodeURIComponent(escaped(quoteId)),
  "in upper case": (quoteId) => quoteId.toUpperCase(),
  decomposed: (quoteId) => quoteId.normalize("NFD"),
  "with a slash behind": (quoteId) => `${quoteId}/`,
  "with slashes in front": (quoteId) => `//${quoteId}`,
  "with a dot segment": (quoteId) => `./${quoteId}`,
  "below a folder": (quoteId) => `x/../${quoteId}`,
  // Not a segment of dots, which would be none any more.
  "with a separator at each end": (quoteId) => (/^\w.*\w$/u.test(quoteId) ? `-${quoteId}_` : quoteId),
  "in the digits of another script": (quoteId) =>
    quoteId.replace(/[0-9]/g, (digit) => String.fromCodePoint(0x966 + Number(digit))),
  "as its key": quoteKey,
};

const ALPHABET = Array.from(
  "00112233aAbBfFqQ--__..//\\%%++~;:{}()\u03a3\u03c2\u00e9\u00c9\u00df\u1e9e\u0130\u01c5\u0664\uff11\uff05\u0301\u200b\u{1d7d2}",
);
const PIECES = [
  ...ALPHABET,
  ...["%2F", "%2e", "%25", "%C3%A9", "%ff", "..", "/../", "/./"],
  ...[UUID, BARE, "1".repeat(32), "0".repeat(31)],
];
const randomQuoteId = (random: () => number): string =>
  Array.from(
    { length: 1 + Math.floor(random() * 8) },
    () => PIECES[Math.floor(random() * PIECES.length)] ?? "",
  ).join("");

it.each(Object.entries(respelled))("is the same for a random quoteId and the same %s", (_, respell) => {
  const random = randomFrom(36);
  const odd: string[] = [];
  for (let left = 5_000; left > 0; left -= 1) {
    const quoteId = randomQuoteId(random);
    if (quoteKey(respell(quoteId)) !== quoteKey(quoteId))
      odd.push(JSON.stringify([quoteId, quoteKey(quoteId), quoteKey(respell(quoteId))]));
  }
  expect(odd.slice(0, 5)).toEqual([]);
});

it.each(["0", "00", "+", "-0", "+000"])("is the same for a number of any length behind %s", (prefix) => {
  for (let length = 1; length <= 40; length += 1)
    for (const digit of ["0", "1", "9"]) {
      const number = digit.repeat(length);
      expect(quoteKey(prefix + number), number).toBe(quoteKey(number));
    }
});
