/** Characters that are invisible, control a terminal or reorder text. */
export const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/u;
const ALL_INVISIBLE = new RegExp(INVISIBLE, "gu");

/** Each UTF-16 unit of the text as \uXXXX. */
export const unitsOf = (text: string): string =>
  Array.from(text.split(""), (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");

/** The text with its invisible characters written as \uXXXX. JSON without line breaks stays the same JSON. */
export const escapeInvisible = (text: string): string => text.replace(ALL_INVISIBLE, unitsOf);

/** Escapes all invisible characters but line breaks and tabs. */
export const escapeInvisibleLines = (text: string): string => text.replace(/[^\n\t]+/g, escapeInvisible);
