/** Characters that control a terminal or reorder text: controls, formats, line and paragraph separators, lone surrogates. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

const unitsOf = (text: string): string =>
  [...Array(text.length).keys()]
    .map((at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`)
    .join("");

/** Escapes untrusted text for one line of a terminal. JSON without line breaks stays the same JSON. */
export const escaped = (text: string): string => text.replace(UNSAFE, unitsOf);

/** Escapes untrusted text, but for line breaks and tabs. */
export const escapedLines = (text: string): string =>
  text.replace(UNSAFE, (unsafe) => (unsafe === "\n" || unsafe === "\t" ? unsafe : unitsOf(unsafe)));
