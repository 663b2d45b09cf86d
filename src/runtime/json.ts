/**
 * Reads JSON without building its values, and so keeps what JSON.parse loses: the digits of numbers, and repeated names. Takes time in
 * proportion to the text's length, and does not recurse: nesting cannot exhaust the call stack.
 */

/** One member of a JSON object: its name, and the text of its value exactly as written. */
export type Member = { key: string; raw: string };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const ZERO = 0x30;
const NINE = 0x39;

/** Where a wrong or unfinished text ends: nowhere. */
const NOWHERE = -1;
const CLOSERS: Readonly<Record<string, string>> = { "{": "}", "[": "]" };
const ESCAPED = '"\\/bfnrt';
const HEX4 = /^[0-9a-fA-F]{4}$/;

const skipSpace = (text: string, from: number): number => {
  for (let at = from; ; at++) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at;
  }
};

const endOfString = (text: string, from: number): number => {
  for (let at = from + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code < 0x20) return NOWHERE;
    if (code !== BACKSLASH) continue;
    const escape = text.charAt(++at);
    if (escape === "u" && HEX4.test(text.slice(at + 1, at + 5))) at += 4;
    else if (escape === "" || !ESCAPED.includes(escape)) return NOWHERE;
  }
  return NOWHERE;
};

/** Index after one digit or more. */
const endOfDigits = (text: string, from: number): number => {
  let at = from;
  while (text.charCodeAt(at) >= ZERO && text.charCodeAt(at) <= NINE) at++;
  return at > from ? at : NOWHERE;
};

const endOfNumber = (text: string, from: number): number => {
  const first = text[from] === "-" ? from + 1 : from;
  let at = text[first] === "0" ? first + 1 : endOfDigits(text, first);
  if (at !== NOWHERE && text[at] === ".") at = endOfDigits(text, at + 1);
  if (at === NOWHERE || (text[at] !== "e" && text[at] !== "E")) return at;
  const sign = text[at + 1];
  return endOfDigits(text, sign === "+" || sign === "-" ? at + 2 : at + 1);
};

const endOfScalar = (text: string, from: number): number => {
  if (text[from] === '"') return endOfString(text, from);
  for (const word of ["true", "false", "null"]) if (text.startsWith(word, from)) return from + word.length;
  return endOfNumber(text, from);
};

/** Index of the value after the member name at `from`. */
const afterName = (text: string, from: number): number => {
  const end = text[from] === '"' ? endOfString(text, from) : NOWHERE;
  const colon = end === NOWHERE ? NOWHERE : skipSpace(text, end);
  return colon !== NOWHERE && text[colon] === ":" ? skipSpace(text, colon + 1) : NOWHERE;
};

const endOfValue = (text: string, from: number): number => {
  /** What closes the objects and arrays around `at`, the innermost last. */
  const closers: string[] = [];
  let at = from;
  for (;;) {
    const closer = CLOSERS[text[at] ?? ""];
    if (closer === undefined) at = endOfScalar(text, at);
    else {
      closers.push(closer);
      at = skipSpace(text, at + 1);
      // Not empty: its first value comes next.
      if (text[at] !== closer) {
        if (closer === "}") at = afterName(text, at);
        if (at === NOWHERE) return NOWHERE;
        continue;
      }
    }
    if (at === NOWHERE || closers.length === 0) return at;
    // A value has ended: so may the objects and arrays around it.
    for (at = skipSpace(text, at); text[at] === closers.at(-1); at = skipSpace(text, at + 1)) {
      closers.pop();
      if (closers.length === 0) return at + 1;
    }
    if (text[at] !== ",") return NOWHERE;
    at = skipSpace(text, at + 1);
    if (closers.at(-1) === "}") at = afterName(text, at);
    if (at === NOWHERE) return NOWHERE;
  }
};

/** The text that a string's source, quotes included, stands for. */
export const stringOf = (source: string): string =>
  source.includes("\\") ? (JSON.parse(source) as string) : source.slice(1, -1);

/**
 * Reads what stands between the brackets of the object or array that a text is. `item` reads one part of it and gives the index after it.
 * False where the text is anything else.
 */
const readItems = (text: string, open: "{" | "[", item: (at: number) => number): boolean => {
  let at = skipSpace(text, 0);
  if (text[at] !== open) return false;
  at = skipSpace(text, at + 1);
  let more = text[at] !== CLOSERS[open];
  while (more) {
    at = item(at);
    if (at === NOWHERE) return false;
    at = skipSpace(text, at);
    more = text[at] === ",";
    if (more) at = skipSpace(text, at + 1);
  }
  return text[at] === CLOSERS[open] && skipSpace(text, at + 1) === text.length;
};

/** The members of the object that a JSON text is, in order, repeated names included. Null for any other text. */
export const members = (text: string): Member[] | null => {
  const found: Member[] = [];
  const isObject = readItems(text, "{", (at) => {
    const value = afterName(text, at);
    const end = value === NOWHERE ? NOWHERE : endOfValue(text, value);
    if (end !== NOWHERE)
      found.push({ key: stringOf(text.slice(at, endOfString(text, at))), raw: text.slice(value, end) });
    return end;
  });
  return isObject ? found : null;
};

/** The texts of the elements of the array that a JSON text is. Null for any other text. */
export const elements = (text: string): string[] | null => {
  const found: string[] = [];
  const isArray = readItems(text, "[", (at) => {
    const end = endOfValue(text, at);
    if (end !== NOWHERE) found.push(text.slice(at, end));
    return end;
  });
  return isArray ? found : null;
};
