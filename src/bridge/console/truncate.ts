/** So much of a text of others is shown where it stands among other things. */
const MAX_SHOWN_LENGTH = 4_096;

/** The beginning of a text, in memory of its own: a slice would keep the whole. */
export const beginningOf = (text: string, maxLength = MAX_SHOWN_LENGTH): string =>
  text.length <= maxLength
    ? text
    : `${Buffer.from(text.slice(0, maxLength)).toString("utf8")}… (${text.length - maxLength} characters more)`;

export const iso = (ms: number): string => {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? String(ms) : date.toISOString();
};
