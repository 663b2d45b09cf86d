/** Of a text within a list. */
const MAX_SHOWN_LENGTH = 4_096;

/** Cuts a text. The result is a copy: a slice would keep the whole text in memory. */
export const truncate = (text: string, maxLength = MAX_SHOWN_LENGTH): string =>
  text.length <= maxLength
    ? text
    : `${Buffer.from(text.slice(0, maxLength)).toString("utf8")}… (${text.length - maxLength} characters more)`;
