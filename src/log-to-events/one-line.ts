/** Strings are kept as they are; white space between them is not. */
const STRING_OR_SPACE = /("(?:[^"\\]|\\.)*")|[ \t\r\n]+/g;

/** A JSON text on one line. */
export const oneLine = (json: string): string => json.replace(STRING_OR_SPACE, "$1");
