import { Secret } from "./secret.ts";

/**
 * What requires a setting: Kafka, `serve` with any flow, one of the flows, calls to the partner alone, or the
 * console.
 */
export type Need = "kafka" | "serve" | "webhooks" | "commands" | "reconcile" | "partner" | "console";

/** Throws an Error whose message completes "VARIABLE …" and holds nothing secret. */
type Read<T> = (text: string) => T;

/** One environment variable: its parser, default and documentation. */
export type Setting<T> = {
  env: string;
  /** The default, as the text of the variable; null when there is none. */
  fallback: string | null;
  help: string;
  /** The form of a value, for documentation. */
  shape: string;
  read: Read<T>;
  /** It is required for each of these. */
  need: readonly Need[];
  secret: boolean;
  /** Validates the text of a secret, from the variable or a file; throws like `read`. */
  check?: (text: string) => void;
};

type Needed = { need?: readonly Need[] };
/** A setting without a default, whose value may be undefined. */
type Optional<T> = Setting<T> & { optional: true };

/** Makes a kind of settings that always have a value. */
export const withDefault =
  <T>(shape: string, read: Read<T>) =>
  (env: string, fallback: string, help: string): Setting<T> => ({
    ...{ env, fallback, help, shape, read },
    need: [],
    secret: false,
  });

/** Makes a kind of settings that have no default, but a value where they are needed. */
export const required =
  <T>(shape: string, read: Read<T>) =>
  (env: string, help: string, { need = [] }: Needed = {}): Setting<T> => ({
    ...{ env, fallback: null, help, shape, read, need },
    secret: false,
  });

/** Makes a kind of settings whose value may be undefined. */
export const optional =
  <T>(shape: string, read: Read<T>) =>
  (env: string, help: string, needed?: Needed): Optional<T> => ({
    ...required(shape, read)(env, help, needed),
    optional: true,
  });

/** A byte order mark, or what the bytes of another encoding than UTF-8 become, is in no text that anybody meant. */
const ODD_TEXT = /[\p{Cc}\uFEFF\uFFFD]/u;

/** For secrets of any kind, and other texts: errors repeat nothing of them. */
export const checkPlainText = (text: string): void => {
  if (ODD_TEXT.test(text))
    throw new Error(
      "holds a byte order mark, a NUL, a line break or another control character, or is not in UTF-8",
    );
};

/** The same for a list: white space around its items is no part of them. */
export const checkPlainList = (text: string): void =>
  checkPlainText(text.replace(/[\t\r\n ]*(^|,|$)[\t\r\n ]*/g, "$1"));

/** A secret, never printed. The variable NAME_FILE names a file to read it from instead. */
export const secret = (
  env: string,
  help: string,
  { check = checkPlainText, need = [] }: Needed & { check?: (text: string) => void } = {},
): Optional<Secret> => ({
  ...optional("secret", (text) => Secret.of(text))(env, help, { need }),
  secret: true,
  check,
});
