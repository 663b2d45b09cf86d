import { readFileSync } from "node:fs";

/** More than the name of a file has, and less than most keys and tokens have. */
const MAX_LENGTH = 255;

/** A value of another form seems to be what the file should hold, which must not be shown. */
export const isFileName = (value: string): boolean =>
  value.length <= MAX_LENGTH && !/[\r\n]|^-----|^eyJ|\$2[aby]\$/.test(value);

/** The value where it begins as a path does, otherwise null: it may be a short token or password. */
export const pathIn = (value: string): string | null =>
  isFileName(value) && /^(\.{0,2}\/|[A-Za-z]:\\)/.test(value) ? value : null;

/** Throws an Error whose message completes "VARIABLE …". */
export const textOfFile = (file: string): string => {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    if (!isFileName(file))
      throw new Error("holds the key or the text itself, not the name of a file that holds it", { cause });
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unreadable";
    const path = pathIn(file);
    throw new Error(`names a file that cannot be read (${code})${path === null ? "" : `: ${path}`}`, {
      cause,
    });
  }
};
