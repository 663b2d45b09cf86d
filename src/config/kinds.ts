import { optional, type Setting, checkPlainText, type Need, withDefault } from "./setting.ts";

// Kinds of settings. Each throws an Error whose message completes "VARIABLE …" where a value is not of its kind.

const readText = (value: string): string => {
  checkPlainText(value);
  return value;
};
export const text = withDefault("text", readText);
export const optionalText = optional("text", readText);

/** Reads what the pattern describes; `form` completes "is not …". */
export const matching =
  (pattern: RegExp, form: string) =>
  (value: string): string => {
    if (!pattern.test(value)) throw new Error(`is not ${form}`);
    return value;
  };

/** A path on the public listener. */
export const path = withDefault(
  "path",
  matching(/^(\/[A-Za-z0-9._~-]+)+$/, "a path such as /webhooks/transaction-status"),
);

export const topic = withDefault(
  "topic",
  matching(
    /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,249}$/,
    "a topic name (letters, digits, dot, underscore and hyphen, at most 249)",
  ),
);

export const jsonPointer = optional(
  "JSON pointer",
  matching(/^(?:\/(?:[^~/]|~[01])*)+$/, "a JSON pointer such as /data/quoteId"),
);

const UNITS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
/** A Node timer with a longer delay fires at once. */
const MAX_DURATION_MS = 2_147_483_647;

export const readDuration = (value: string): number => {
  const [, digits, unit] = /^(\d{1,9})(ms|s|m|h)$/.exec(value) ?? [];
  if (digits === undefined || unit === undefined)
    throw new Error("is not a duration such as 500ms, 5s, 15m or 2h");
  const ms = Number(digits) * (UNITS[unit] ?? 0);
  if (ms > MAX_DURATION_MS) throw new Error("is longer than 596h");
  return ms;
};

/**
 * A duration such as `500ms`, `5s`, `15m` or `2h`, as milliseconds. With `atLeastMs: 0`, `0` is accepted too.
 */
export const duration = (env: string, fallback: string, help: string, { atLeastMs = 1 } = {}) =>
  withDefault("duration", (value) => {
    const ms = value === "0" && atLeastMs === 0 ? 0 : readDuration(value);
    if (ms < atLeastMs) throw new Error(`is shorter than ${atLeastMs}ms`);
    return ms;
  })(env, fallback, help);

type Range = { min: number; max: number };

const integerIn =
  ({ min, max }: Range) =>
  (value: string): number => {
    const number = Number(value);
    if (!/^-?\d{1,12}$/.test(value) || number < min || number > max)
      throw new Error(`is not a whole number from ${min} to ${max}`);
    return number;
  };

export const integer = (env: string, fallback: string, help: string, range: Range) =>
  withDefault("number", integerIn(range))(env, fallback, help);

export const optionalInteger = (env: string, help: string, range: Range) =>
  optional("number", integerIn(range))(env, help);

/** A TCP port. Kubernetes injects `tcp://…` for services under such names: that has an error message of its own. */
export const port = (env: string, fallback: string, help: string) =>
  withDefault("port", (value) => {
    if (value.startsWith("tcp://")) {
      const service = env.replace(/_PORT$/, "").toLowerCase();
      throw new Error(
        `is an address, which Kubernetes injects for a service named "${service}": rename that service or set enableServiceLinks: false on the pod`,
      );
    }
    return integerIn({ min: 0, max: 65_535 })(value);
  })(env, fallback, help);

export const flag = (env: string, help: string): Setting<boolean> =>
  withDefault("true or false", (value) => {
    if (value !== "true" && value !== "false") throw new Error("is neither true nor false");
    return value === "true";
  })(env, "false", help);

export const readList = (value: string): readonly string[] =>
  value
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");

export const list = withDefault("list", readList);

/**
 * Reads a list whose items are right. Names every item that is not, without a user and password before an `@`; `form`
 * completes "which is …" for these.
 */
export const listOf =
  (isRight: (item: string) => boolean, form: string) =>
  (value: string): readonly string[] => {
    const items = readList(value);
    const odd = items.filter((item) => !isRight(item)).map((item) => `"${item.replace(/^.*@/s, "…@")}"`);
    if (odd.length > 0)
      throw new Error(`holds ${odd.join(" and ")}, ${odd.length > 1 ? "each of which" : "which"} is ${form}`);
    return items;
  };

/** HTTP statuses, with classes such as 5xx. */
export const statuses = withDefault(
  "list of statuses",
  listOf((item) => /^([3-5]\d\d|[3-5]xx)$/.test(item), "no HTTP status such as 409 or 4xx"),
);

type Values<T> = { values: readonly T[] };

const oneIn =
  <T extends string>(values: readonly T[]) =>
  (value: string): T => {
    const found = values.find((candidate) => candidate === value);
    if (found === undefined)
      throw new Error(`is ${values.length > 1 ? "none of" : "not"} ${values.join(", ")}`);
    return found;
  };

export const oneOf = <T extends string>(env: string, fallback: string, help: string, { values }: Values<T>) =>
  withDefault(values.join(", "), oneIn(values))(env, fallback, help);

export const optionalOneOf = <T extends string>(
  env: string,
  help: string,
  { values, need = [] }: Values<T> & { need?: readonly Need[] },
) => optional(values.join(", "), oneIn(values))(env, help, { need });

export const someOf = <T extends string>(
  env: string,
  fallback: string,
  help: string,
  { values }: Values<T>,
) => {
  const names = values.join(", ");
  const known: readonly string[] = values;
  return withDefault<readonly T[]>(`list of ${names}`, (value) => {
    const items = listOf((item) => known.includes(item), `none of ${names}`)(value);
    if (items.length === 0) throw new Error(`names none of ${names}`);
    return [...new Set(items.map(oneIn(values)))];
  })(env, fallback, help);
};
