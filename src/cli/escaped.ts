/** What a terminal would obey, or show in another order than it stands: controls, formats, line and paragraph breaks, halves of pairs. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

const unitsOf = (text: string): string =>
  [...Array(text.length).keys()]
    .map((at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`)
    .join("");

/** Text of others on one line of a terminal. A JSON text without line breaks stays the same JSON. */
export const escaped = (text: string): string => text.replace(UNSAFE, unitsOf);

/** The same for what may have several lines and columns. */
export const escapedLines = (text: string): string =>
  text.replace(UNSAFE, (unsafe) => (unsafe === "\n" || unsafe === "\t" ? unsafe : unitsOf(unsafe)));
