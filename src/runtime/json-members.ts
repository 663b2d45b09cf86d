/** One member of a JSON object: its name, and the text of its value exactly as written. */
export type Member = { key: string; raw: string };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
const opens = (code: number): boolean => code === 0x7b || code === 0x5b;
const closes = (code: number): boolean => code === 0x7d || code === 0x5d;

/** Index behind the string that begins at `at`. */
const behindString = (text: string, at: number): number => {
  let i = at + 1;
  while (i < text.length && text.charCodeAt(i) !== QUOTE) i += text.charCodeAt(i) === BACKSLASH ? 2 : 1;
  return i + 1;
};

const behindSpace = (text: string, at: number): number => {
  let i = at;
  while (i < text.length && isSpace(text.charCodeAt(i))) i++;
  return i;
};

/** Index behind the value that begins at `at`: the next comma or closing bracket of its own level, space before it left out. */
const behindValue = (text: string, at: number): number => {
  let depth = 0;
  let end = at;
  for (let i = at; i < text.length;) {
    const code = text.charCodeAt(i);
    if (depth === 0 && (code === 0x2c || closes(code))) break;
    if (opens(code)) depth++;
    else if (closes(code)) depth--;
    i = code === QUOTE ? behindString(text, i) : i + 1;
    if (!isSpace(code)) end = i;
  }
  return end;
};

/**
 * The members of the object at the top level of a JSON text, in order, repeated names included: what JSON.parse loses (digits of
 * numbers, duplicates). Linear in the text's length and not recursive, whatever its depth.
 * @param text a text that JSON.parse has accepted; anything but an object has no members
 */
export const members = (text: string): Member[] => {
  const found: Member[] = [];
  let at = behindSpace(text, 0);
  if (text[at] !== "{") return found;
  at = behindSpace(text, at + 1);
  while (text.charCodeAt(at) === QUOTE) {
    const keyEnd = behindString(text, at);
    const key = JSON.parse(text.slice(at, keyEnd)) as string;
    const valueStart = behindSpace(text, behindSpace(text, keyEnd) + 1);
    const valueEnd = behindValue(text, valueStart);
    found.push({ key, raw: text.slice(valueStart, valueEnd) });
    at = behindSpace(text, behindSpace(text, valueEnd) + 1);
  }
  return found;
};
