/** The text without its percent-escapes; null where a `%` begins none. */
export const decodePercent = (text: string): string | null => {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
};

/** The password of a URL as it stands there and without its percent-escapes; a `%` that begins none is itself. */
export const passwordsIn = ({ password }: URL): string[] => [password, decodePercent(password) ?? password];
