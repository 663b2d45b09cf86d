/**
 * Splits JSON into the source texts of its parts. Keeps what JSON.parse loses: the digits of numbers, and
 * repeated names. Takes time in proportion to the length of the text. Does not recurse, so that deep nesting
 * cannot overflow the call stack.
 */

/** One member of a JSON object: its name, and the text of its value exactly as written. */
export type Member = { key: string; raw: string };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The index that stands for invalid or incomplete JSON. */
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

const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![.\deE+-])/y;

const endOfScalar = (text: string, from: number): number => {
  if (text[from] === '"') return endOfString(text, from);
  SCALAR.lastIndex = from;
  return SCALAR.test(text) ? SCALAR.lastIndex : NOWHERE;
};

/** Index of the value after the member name at `from`. */
const afterName = (text: string, from: number): number => {
  const end = text[from] === '"' ? endOfString(text, from) : NOWHERE;
  const colon = end === NOWHERE ? NOWHERE : skipSpace(text, end);
  return colon !== NOWHERE && text[colon] === ":" ? skipSpace(text, colon + 1) : NOWHERE;
};

const endOfValue = (text: string, from: number): number => {
  /** The closing brackets of the objects and arrays around `at`, the innermost last. */
  const closers: string[] = [];
  let at = from;
  for (;;) {
    const closer = CLOSERS[text[at] ?? ""];
    if (closer === undefined) at = endOfScalar(text, at);
    else {
      closers.push(closer);
      at = skipSpace(text, at + 1);
      // It has a first value, which is read next.
      if (text[at] !== closer) {
        if (closer === "}") at = afterName(text, at);
        if (at === NOWHERE) return NOWHERE;
        continue;
      }
    }
    if (at === NOWHERE || closers.length === 0) return at;
    // The objects and arrays around this value may end with it.
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

/** The value of a JSON string, given its source with the quotes. */
export const stringOf = (source: string): string =>
  source.includes("\\") ? (JSON.parse(source) as string) : source.slice(1, -1);

/**
 * Reads the items of a text that is one object or array. `item` reads the item at an index and gives the
 * index after it. False when the text is anything else.
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

const readMembers = (text: string): { found: Member[]; isObject: boolean } => {
  const found: Member[] = [];
  const isObject = readItems(text, "{", (at) => {
    const value = afterName(text, at);
    if (value === NOWHERE) return NOWHERE;
    const end = endOfValue(text, value);
    const raw = text.slice(value, end === NOWHERE ? undefined : end);
    found.push({ key: stringOf(text.slice(at, endOfString(text, at))), raw });
    return end;
  });
  return { found, isObject };
};

/** The members of a JSON object, in order, with repeated names. Null when the text is no JSON object. */
export const members = (text: string): Member[] | null => {
  const { found, isObject } = readMembers(text);
  return isObject ? found : null;
};

/**
 * The members of an object that may be cut off, up to the cut. The last one may lack the end of its value.
 */
export const membersUpToCut = (text: string): Member[] => readMembers(text).found;

/** The source texts of the elements of a JSON array. Null when the text is no JSON array. */
export const elements = (text: string): string[] | null => {
  const found: string[] = [];
  const isArray = readItems(text, "[", (at) => {
    const end = endOfValue(text, at);
    if (end !== NOWHERE) found.push(text.slice(at, end));
    return end;
  });
  return isArray ? found : null;
};

export type Json = Readonly<Record<string, unknown>>;

export const objectOf = (value: unknown): Json | null =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : null;

/** Returns null for a text that is no JSON. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
};
