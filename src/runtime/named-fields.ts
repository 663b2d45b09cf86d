import { scalarText, valuesAt } from "./json-pointer.ts";

/** A field that a setting names, and the JSON pointer to its value. */
export type NamedField = { name: string; pointer: string };

/** A record has room for so many fields, and so long ones. */
export const MAX_FIELDS = 16;
export const MAX_FIELD_BYTES = 1_024;

const fieldText = (json: string, pointer: string): string | null => {
  const [raw, ...others] = valuesAt(json, pointer);
  const text = raw === undefined || raw === "null" || others.length > 0 ? null : scalarText(raw);
  return text === null || Buffer.byteLength(text) > MAX_FIELD_BYTES ? null : text.toWellFormed();
};

/**
 * What a JSON text holds at the pointers: strings as they are, numbers and booleans with exactly their characters.
 * Absent, null, an object, an array, ambiguous or too long: left out.
 */
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

/** The names of those that were not found. */
export const missingFields = (
  named: readonly NamedField[],
  fields: Readonly<Record<string, string>>,
): string[] => named.map(({ name }) => name).filter((name) => !Object.hasOwn(fields, name));
