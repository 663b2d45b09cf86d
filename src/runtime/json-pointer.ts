import { elements, membersUpToCut, parseJson } from "./json.ts";

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

/** Gives several texts if a name is repeated. Where the JSON is cut off, its last number may be cut, too. */
export const valuesAt = (text: string, pointer: string): string[] =>
  pointerNames(pointer).reduce<string[]>(
    (values, name) => values.flatMap((raw) => childrenOf(raw, name)),
    [text.trim()],
  );

/** Returns null where there is no value, or a name on the path is repeated. */
export const valueAt = (text: string, pointer: string): string | null => {
  const [value = null, ...others] = valuesAt(text, pointer);
  return others.length > 0 ? null : value;
};

/** A JSON scalar as text: a string as it is, anything else as it is written. Null for objects and arrays. */
export const scalarText = (raw: string): string | null => {
  if (raw.startsWith('"')) return parseJson(raw) as string | null;
  return /^[{[]/.test(raw) ? null : raw;
};

export type NamedField = { name: string; pointer: string };

/** A record has room for so many fields, and so long ones. */
export const MAX_FIELDS = 16;
export const MAX_FIELD_BYTES = 1_024;

const fieldText = (json: string, pointer: string): string | null => {
  const raw = valueAt(json, pointer);
  const text = raw === null || raw === "null" ? null : scalarText(raw);
  return text === null || Buffer.byteLength(text) > MAX_FIELD_BYTES ? null : text.toWellFormed();
};

/** Digits stay as written. A value is left out where it is absent, null, nested, ambiguous or too long. */
export const fieldsIn = (
  json: string,
  named: readonly NamedField[],
  mask: (text: string) => string,
): Record<string, string> =>
  Object.fromEntries(
    named.flatMap(({ name, pointer }) => {
      const text = fieldText(json, pointer);
      return text === null ? [] : [[name, mask(text)]];
    }),
  );

export const missingFields = (
  named: readonly NamedField[],
  fields: Readonly<Record<string, string>>,
): string[] => named.map(({ name }) => name).filter((name) => !Object.hasOwn(fields, name));

/** What an answer says when it failed, in words of its own: this value at this JSON pointer. */
export type FailureSign = { pointer: string; value: string };

const NO = /^"?false"?$/i;
const NOTHING = /^(?:|null|false|0|"\s*"|\[\s*\]|\{\s*\})$/;

const saysAtRoot = (text: string): boolean =>
  membersUpToCut(text).some(({ key, raw }) => {
    const name = key.toLowerCase();
    if (name === "success") return NO.test(raw);
    return (name === "error" || name === "errors") && !NOTHING.test(raw);
  });

const folded = (value: string): string => value.trim().toLowerCase();

/** The object may be cut off. At its root `success: false`, or an `error` that is not empty, is a failure, too. */
export const saysFailed = (text: string, signs: readonly FailureSign[] = []): boolean =>
  saysAtRoot(text) ||
  signs.some(({ pointer, value }) =>
    valuesAt(text, pointer).some((raw) => folded(scalarText(raw) ?? "") === folded(value)),
  );
