/** Characters that are invisible, control a terminal or reorder text. */
export const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/u;
const ALL_INVISIBLE = new RegExp(INVISIBLE, "gu");

/** Each UTF-16 unit of the text as \uXXXX. */
export const unitsOf = (text: string): string => {
  let units = "";
  for (let index = 0; index < text.length; index++)
    units += `\\u${text.charCodeAt(index).toString(16).padStart(4, "0")}`;
  return units;
};

/** The text with its invisible characters written as \uXXXX. JSON without line breaks stays the same JSON. */
export const escapeInvisible = (text: string): string => text.replace(ALL_INVISIBLE, unitsOf);

/** Escapes all invisible characters but line breaks and tabs. */
export const escapeInvisibleLines = (text: string): string => text.replace(/[^\n\t]+/g, escapeInvisible);
