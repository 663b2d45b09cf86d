/** More than the name of a file has, and less than most keys and tokens have. */
const MAX_LENGTH = 255;

/**
 * Whether the value of a …_FILE setting may be the name of a file. Otherwise it seems to be what the file
 * should hold, which must not be shown.
 */
export const isFileName = (value: string): boolean =>
  value.length <= MAX_LENGTH && !/[\r\n]|^-----|^eyJ|\$2[aby]\$/.test(value);

/** The value where it begins as a path does, otherwise null: it may be a short token or password. */
export const pathIn = (value: string): string | null =>
  isFileName(value) && /^(\.{0,2}\/|[A-Za-z]:\\)/.test(value) ? value : null;

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "unreadable";

/** Why the file that a …_FILE setting names cannot be read. */
export const whyUnreadable = (file: string, error: unknown): string =>
  isFileName(file) ? codeOf(error) : "it holds the text itself, not the name of a file";

/** The same, as the end of a sentence "VARIABLE …". */
export const unreadableFile = (file: string, error: unknown): string => {
  if (!isFileName(file)) return "holds the key or the text itself, not the name of a file that holds it";
  const path = pathIn(file);
  return `names a file that cannot be read (${codeOf(error)})${path === null ? "" : `: ${path}`}`;
};
