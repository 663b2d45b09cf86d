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
  for (let index = from; ; index++) {
    const code = text.charCodeAt(index);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return index;
  }
};

const endOfString = (text: string, from: number): number => {
  for (let index = from + 1; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) return index + 1;
    if (code < 0x20) return NOWHERE;
    if (code !== BACKSLASH) continue;
    const escape = text.charAt(++index);
    if (escape === "u" && HEX4.test(text.slice(index + 1, index + 5))) index += 4;
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
  /** The closing brackets of the objects and arrays around `index`, the innermost last. */
  const closers: string[] = [];
  let index = from;
  for (;;) {
    const closer = CLOSERS[text[index] ?? ""];
    if (closer === undefined) index = endOfScalar(text, index);
    else {
      closers.push(closer);
      index = skipSpace(text, index + 1);
      if (text[index] !== closer) {
        if (closer === "}") index = afterName(text, index);
        if (index === NOWHERE) return NOWHERE;
        continue;
      }
    }
    if (index === NOWHERE || closers.length === 0) return index;
    // The objects and arrays around this value may end with it.
    for (index = skipSpace(text, index); text[index] === closers.at(-1); index = skipSpace(text, index + 1)) {
      closers.pop();
      if (closers.length === 0) return index + 1;
    }
    if (text[index] !== ",") return NOWHERE;
    index = skipSpace(text, index + 1);
    if (closers.at(-1) === "}") index = afterName(text, index);
    if (index === NOWHERE) return NOWHERE;
  }
};

/** The value of a JSON string, given its source with the quotes. */
export const stringOf = (source: string): string =>
  source.includes("\\") ? (JSON.parse(source) as string) : source.slice(1, -1);

/** Reads a text that is one object or array up to where it ends, or breaks off. Elements are members without a name. */
const readItems = (text: string, open: "{" | "["): { items: Member[]; isWhole: boolean } => {
  const items: Member[] = [];
  const broken = { items, isWhole: false };
  let index = skipSpace(text, 0);
  if (text[index] !== open) return broken;
  index = skipSpace(text, index + 1);
  let hasMore = text[index] !== CLOSERS[open];
  while (hasMore) {
    const start = open === "{" ? afterName(text, index) : index;
    if (start === NOWHERE) return broken;
    const key = open === "{" ? stringOf(text.slice(index, endOfString(text, index))) : "";
    const end = endOfValue(text, start);
    items.push({ key, raw: text.slice(start, end === NOWHERE ? undefined : end) });
    if (end === NOWHERE) return broken;
    index = skipSpace(text, end);
    hasMore = text[index] === ",";
    if (hasMore) index = skipSpace(text, index + 1);
  }
  return { items, isWhole: text[index] === CLOSERS[open] && skipSpace(text, index + 1) === text.length };
};

/** The members of a JSON object, in order, with repeated names. Null when the text is no JSON object. */
export const members = (text: string): Member[] | null => {
  const { items, isWhole } = readItems(text, "{");
  return isWhole ? items : null;
};

/** The last of several members of one name counts, as in JSON.parse. */
export const memberOf = (all: readonly Member[], name: string): string | null => {
  let last: string | null = null;
  for (const { key, raw } of all) if (key === name) last = raw;
  return last;
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
