/**
 * Source texts of a JSON object's members. Values are checked but never built: numbers keep their digits, `__proto__` is a name
 * like any other, and a hostile body costs time in proportion to its length and one byte of memory for each level of nesting.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;

/** Where an unfinished or wrong value ends: nowhere. */
const NOWHERE = -1;
const SIMPLE_ESCAPES = '"\\/bfnrt';
const HEX4 = /^[0-9a-fA-F]{4}$/;

const skipSpace = (text: string, from: number): number => {
  for (let at = from; ; at++) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at;
  }
};

/** Index after the closing quote of the string that opens at `from`. */
const endOfString = (text: string, from: number): number => {
  for (let at = from + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code < 0x20) return NOWHERE;
    if (code !== BACKSLASH) continue;
    const escape = text.charAt(++at);
    if (escape === "u" && HEX4.test(text.slice(at + 1, at + 5))) at += 4;
    else if (escape === "" || !SIMPLE_ESCAPES.includes(escape)) return NOWHERE;
  }
  return NOWHERE;
};

const skipDigits = (text: string, from: number): number => {
  for (let at = from; ; at++) {
    const code = text.charCodeAt(at);
    if (!(code >= ZERO && code <= NINE)) return at;
  }
};

const atLeastOneDigit = (text: string, from: number): number => {
  const end = skipDigits(text, from);
  return end > from ? end : NOWHERE;
};

const endOfNumber = (text: string, from: number): number => {
  const first = text.charCodeAt(from) === MINUS ? from + 1 : from;
  let at = text.charCodeAt(first) === ZERO ? first + 1 : atLeastOneDigit(text, first);
  if (at !== NOWHERE && text.charCodeAt(at) === DOT) at = atLeastOneDigit(text, at + 1);
  if (at === NOWHERE || (text[at] !== "e" && text[at] !== "E")) return at;
  const sign = text[at + 1];
  return atLeastOneDigit(text, sign === "+" || sign === "-" ? at + 2 : at + 1);
};

const endOfScalar = (text: string, from: number): number => {
  const code = text.charCodeAt(from);
  if (code === QUOTE) return endOfString(text, from);
  if (code === MINUS || (code >= ZERO && code <= NINE)) return endOfNumber(text, from);
  for (const word of ["true", "false", "null"]) if (text.startsWith(word, from)) return from + word.length;
  return NOWHERE;
};

/** Index after the member name at `from`. */
const endOfName = (text: string, from: number): number =>
  text.charCodeAt(from) === QUOTE ? endOfString(text, from) : NOWHERE;

/** Index of the value that follows the member name that ends at `end`. */
const afterColon = (text: string, end: number): number => {
  if (end === NOWHERE) return NOWHERE;
  const colon = skipSpace(text, end);
  return text.charCodeAt(colon) === COLON ? skipSpace(text, colon + 1) : NOWHERE;
};

/** Index of the value that follows the member name at `from`. */
const afterName = (text: string, from: number): number => afterColon(text, endOfName(text, from));

/** What ends the container that begins with this character; 0 where none does. */
const closerOf = (code: number): number =>
  code === OPEN_BRACE ? CLOSE_BRACE : code === OPEN_BRACKET ? CLOSE_BRACKET : 0;

/** Index after the value at `from`. A stack of its own instead of recursion: nesting cannot exhaust the call stack. */
const endOfValue = (text: string, from: number): number => {
  // Nearly every value, and no reason for a stack.
  if (closerOf(text.charCodeAt(from)) === 0) return endOfScalar(text, from);
  let closers = new Uint8Array(16);
  let depth = 0;
  let at = from;
  for (;;) {
    const closer = closerOf(text.charCodeAt(at));
    if (closer === 0) {
      at = endOfScalar(text, at);
      if (at === NOWHERE) return NOWHERE;
    } else {
      at = skipSpace(text, at + 1);
      if (depth === closers.length) {
        const larger = new Uint8Array(closers.length * 2);
        larger.set(closers);
        closers = larger;
      }
      closers[depth++] = closer;
      if (text.charCodeAt(at) !== closer) {
        if (closer === CLOSE_BRACE) at = afterName(text, at);
        if (at === NOWHERE) return NOWHERE;
        continue;
      }
    }
    // A value has ended: so may the containers around it.
    for (at = skipSpace(text, at); depth > 0 && text.charCodeAt(at) === closers[depth - 1]; depth--) {
      if (depth === 1) return at + 1;
      at = skipSpace(text, at + 1);
    }
    if (text.charCodeAt(at) !== COMMA) return NOWHERE;
    at = skipSpace(text, at + 1);
    if (closers[depth - 1] === CLOSE_BRACE) at = afterName(text, at);
    if (at === NOWHERE) return NOWHERE;
  }
};

/** The text that a string's source, quotes included, stands for. */
export const stringOf = (source: string): string =>
  source.includes("\\") ? (JSON.parse(source) as string) : source.slice(1, -1);

/**
 * Calls `visit` with each member's name and the source of its value, in order, repeated names as often as they come.
 * False when the text is anything but one JSON object; members before the fault may have been visited by then.
 */
export const visitMembers = (text: string, visit: (name: string, source: string) => void): boolean => {
  let at = skipSpace(text, 0);
  if (text.charCodeAt(at) !== OPEN_BRACE) return false;
  at = skipSpace(text, at + 1);
  let more = text.charCodeAt(at) !== CLOSE_BRACE;
  while (more) {
    const nameEnd = endOfName(text, at);
    const value = afterColon(text, nameEnd);
    if (value === NOWHERE) return false;
    const end = endOfValue(text, value);
    if (end === NOWHERE) return false;
    visit(stringOf(text.slice(at, nameEnd)), text.slice(value, end));
    at = skipSpace(text, end);
    more = text.charCodeAt(at) === COMMA;
    if (more) at = skipSpace(text, at + 1);
  }
  return text.charCodeAt(at) === CLOSE_BRACE && skipSpace(text, at + 1) === text.length;
};
