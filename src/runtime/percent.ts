/** The text without its percent-escapes; null where a `%` begins none. */
export const decodePercent = (text: string): string | null => {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
};
