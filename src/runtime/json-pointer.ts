import { parseJson } from "./json-object.ts";
import { elements, membersUpToCut } from "./json.ts";

/** The member names of a JSON pointer (RFC 6901), unescaped. */
export const pointerNames = (pointer: string): string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));

const childrenOf = (raw: string, name: string): string[] =>
  raw.startsWith("[")
    ? (elements(raw) ?? []).filter((_, index) => String(index) === name)
    : membersUpToCut(raw).flatMap(({ key, raw: value }) => (key === name ? [value] : []));

/**
 * The source texts of the values at a JSON pointer: several if a name on the path is repeated. Where the JSON is cut
 * off, the last number of the text may be cut, too.
 */
export const valuesAt = (text: string, pointer: string): string[] =>
  pointerNames(pointer).reduce<string[]>(
    (values, name) => values.flatMap((raw) => childrenOf(raw, name)),
    [text.trim()],
  );

/** A JSON scalar as text: a string as it is, anything else as it is written. Null for objects and arrays. */
export const scalarText = (raw: string): string | null => {
  if (raw.startsWith('"')) return parseJson(raw) as string | null;
  return /^[{[]/.test(raw) ? null : raw;
};
