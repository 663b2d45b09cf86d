import { MAX_ID_LENGTH } from "./field-rules.ts";

/** Combining marks (accents), invisible format characters, and what an escape hid: white space and control characters. */
const UNSEEN = /[\p{M}\p{Cf}\p{Cc}\s]/gu;
/** Matches the digits of other scripts. The ASCII ones, of which the journal is full, need no look. */
const FOREIGN_DIGIT = /(?![0-9])\p{Nd}/gu;
const IS_DIGIT = /^\p{Nd}$/u;
const ESCAPES = /(?:%[0-9a-f]{2})+/gi;

const PUNCTUATION = "[!-/:-@[-`{-~]";
const REPEATED = new RegExp(`(${PUNCTUATION})\\1+`, "g");
const IS_PUNCTUATION = new RegExp(`^${PUNCTUATION}$`);

/** A UUID as lenient parsers accept it: without hyphens, in braces or parentheses, or as a URN. */
const UUID =
  /^(?:urn:uuid:)?[{(]?([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/;
const LEADING_ZEROS = /^0+(?=\d+$)/;

/** Unicode keeps the ten digits of a script together, and such runs begin with a zero. */
const asciiDigit = (digit: string): string => {
  const code = digit.codePointAt(0) ?? 0;
  let first = code;
  while (IS_DIGIT.test(String.fromCodePoint(first - 1))) first -= 1;
  return String((code - first) % 10);
};

const unescaped = (escapes: string): string =>
  Buffer.from(escapes.replaceAll("%", ""), "hex").toString("utf8");

/** Nearly every quoteId: nothing of it has another spelling. */
const PLAIN = /^[a-z0-9-]*$/;

/** Lower, upper, lower again, because a capital sharp s becomes a small one first and "ss" only after that. */
const normalizeCharacters = (text: string): string => {
  if (PLAIN.test(text)) return text;
  return text
    .normalize("NFKD")
    .replace(ESCAPES, unescaped)
    .replace(UNSEEN, "")
    .replace(FOREIGN_DIGIT, asciiDigit)
    .toLowerCase()
    .toUpperCase()
    .toLowerCase();
};

/** The path as servers resolve it. */
const resolvePath = (text: string): string => {
  const kept: string[] = [];
  for (const segment of text.replaceAll("\\", "/").split("/")) {
    if (segment === "..") kept.pop();
    else if (segment !== "" && segment !== ".") kept.push(segment);
  }
  return kept.join("/");
};

/** A UUID of digits only is a number too: one whose leading zeros were lost is no UUID any more. */
const normalizeNumber = (text: string): string => {
  const groups = UUID.exec(text)?.slice(1) ?? [text];
  const digits = groups.join("");
  return /^\d+$/.test(digits) ? digits.replace(LEADING_ZEROS, "") : groups.join("-");
};

/** Removes slashes, separators, the sign of a number and the braces of a UUID. `+$` would take quadratic time. */
const withoutEnds = (text: string): string => {
  let [start, end] = [0, text.length];
  while (start < end && IS_PUNCTUATION.test(text.charAt(start))) start += 1;
  while (end > start && IS_PUNCTUATION.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
};

const normalizeForm = (text: string): string =>
  normalizeNumber(withoutEnds(resolvePath(text).replace(REPEATED, "$1")));

/** Applies a step until it changes nothing: what one step uncovers, the next one may have to treat. */
const untilStable =
  (step: (text: string) => string) =>
  (text: string): string => {
    let [before, after] = [text, step(text)];
    while (after !== before) [before, after] = [after, step(after)];
    return after;
  };

const normalizePlain = untilStable(normalizeCharacters);
/** The key of every text that holds only punctuation. No quoteId is equal to it. */
const NOTHING = ".";
const keyOf = untilStable((text) => normalizeForm(normalizePlain(text)) || NOTHING);

/**
 * One text for all spellings of a quote that a lenient partner could take for the same: merging two quotes costs a
 * needless QUOTE_ALREADY_TAKEN, splitting one could buy it twice. It is idempotent. A text that is longer than any id
 * is its own key: nested escapes would take seconds.
 */
export const quoteKey = (quoteId: string): string =>
  quoteId.length > MAX_ID_LENGTH ? quoteId : keyOf(quoteId);
