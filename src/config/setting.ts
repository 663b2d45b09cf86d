import { Secret } from "./secret.ts";

/** What requires a setting: Kafka, `serve` with any flow, one of the flows, calls to the partner, or the console. */
export type Need = "kafka" | "serve" | "webhooks" | "commands" | "reconcile" | "partner" | "console";

export type Setting<T> = {
  env: string;
  /** The default, as the text of the variable; null when there is none. */
  fallback: string | null;
  help: string;
  shape: string;
  /** Throws an Error whose message completes "VARIABLE …" and holds nothing secret. */
  read: (text: string) => T;
  need: readonly Need[];
  secret: boolean;
  /** Validates the text of a secret, from the variable or a file; throws like `read`. */
  check?: (text: string) => void;
};

/** The value may be undefined where there is no default. */
type Kind<T> = {
  (env: string, fallback: string, help: string): Setting<T>;
  (env: string, help: string): Setting<T | undefined>;
};

export const kind =
  <T>(shape: string, read: (text: string) => T): Kind<T> =>
  (env: string, ...texts: readonly string[]) => {
    const [help = "", fallback = null] = texts.toReversed();
    return { env, fallback, help, shape, read, need: [], secret: false };
  };

export const requiredBy = <T>(setting: Setting<T>, ...need: readonly Need[]): Setting<T> => ({
  ...setting,
  need,
});

export const always = <T>(setting: Setting<T | undefined>): Setting<T> =>
  requiredBy(setting, "kafka") as Setting<T>;

/** A byte order mark, or what the bytes of another encoding than UTF-8 become, is in no text that anybody meant. */
const ODD_TEXT = /[\p{Cc}\uFEFF\uFFFD]/u;

/** Errors repeat nothing of the text, because it may be a secret. */
export const checkPlainText = (text: string): void => {
  if (ODD_TEXT.test(text))
    throw new Error(
      "holds a byte order mark, a NUL, a line break or another control character, or is not in UTF-8",
    );
};

/** Checks the items of a list in the same way. White space around them is no part of them. */
export const checkPlainList = (text: string): void =>
  checkPlainText(text.replace(/[\t\r\n ]*(^|,|$)[\t\r\n ]*/g, "$1"));

const secretKind = kind("secret", (text) => new Secret(text));

/** A secret, never printed. The variable NAME_FILE names a file to read it from instead. */
export const secret = (env: string, help: string, check = checkPlainText): Setting<Secret | undefined> => ({
  ...secretKind(env, help),
  secret: true,
  check,
});
