/** These functions keep what JSON.parse loses: digits and repeated names. They do not recurse: no depth overflows. */

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

/** Reads a text that is one object or array up to where it ends, or breaks off. Elements are members without a name. */
const readItems = (text: string, open: "{" | "["): { items: Member[]; isWhole: boolean } => {
  const items: Member[] = [];
  const broken = { items, isWhole: false };
  let at = skipSpace(text, 0);
  if (text[at] !== open) return broken;
  at = skipSpace(text, at + 1);
  let hasMore = text[at] !== CLOSERS[open];
  while (hasMore) {
    const start = open === "{" ? afterName(text, at) : at;
    if (start === NOWHERE) return broken;
    const key = open === "{" ? stringOf(text.slice(at, endOfString(text, at))) : "";
    const end = endOfValue(text, start);
    items.push({ key, raw: text.slice(start, end === NOWHERE ? undefined : end) });
    if (end === NOWHERE) return broken;
    at = skipSpace(text, end);
    hasMore = text[at] === ",";
    if (hasMore) at = skipSpace(text, at + 1);
  }
  return { items, isWhole: text[at] === CLOSERS[open] && skipSpace(text, at + 1) === text.length };
};

/** The members of a JSON object, in order, with repeated names. Null when the text is no JSON object. */
export const members = (text: string): Member[] | null => {
  const { items, isWhole } = readItems(text, "{");
  return isWhole ? items : null;
};

/** The members of an object that may be cut off, up to the cut. The last one may lack the end of its value. */
export const membersUpToCut = (text: string): Member[] => readItems(text, "{").items;

/** The source texts of the elements of a JSON array. Null when the text is no JSON array. */
export const elements = (text: string): string[] | null => {
  const { items, isWhole } = readItems(text, "[");
  return isWhole ? items.map(({ raw }) => raw) : null;
};

export type Json = Readonly<Record<string, unknown>>;

export const objectOf = (value: unknown): Json | null =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : null;

export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
};
