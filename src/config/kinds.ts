import { MAX_FIELDS } from "../runtime/json-pointer.ts";
import { itemsIn } from "../runtime/secret-list.ts";
import { checkPlainText, kind } from "./setting.ts";

// Kinds of settings. Each throws an Error whose message completes "VARIABLE …" where a value is not of its kind.

export const text = kind("text", (value) => {
  checkPlainText(value);
  return value;
});

/** A text that matches a pattern. `form` completes "is not …". */
export const textLike = (shape: string, pattern: RegExp, form: string) =>
  kind(shape, (value) => {
    if (!pattern.test(value)) throw new Error(`is not ${form}`);
    return value;
  });

/** Senders resolve `.` and `..` before they send. */
const PATH = /^(\/(?!\.{1,2}(\/|$))[A-Za-z0-9._~-]+)+$/;
export const path = textLike("path", PATH, "a path such as /webhooks/transaction-status");

/** Basic authentication cuts it at the first colon. */
export const basicUser = textLike("text", /^[^:\p{Cc}]+$/u, "the name of a user, which has no colon");

export const topic = textLike(
  "topic",
  /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,249}$/,
  "a topic name (letters, digits, dot, underscore and hyphen, at most 249)",
);

const JSON_POINTER = /^(?:\/(?:[^~/]|~[01])*)+$/;
export const jsonPointer = textLike("JSON pointer", JSON_POINTER, "a JSON pointer such as /data/quoteId");

const UNITS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
/** A Node timer with a longer delay fires at once. */
const MAX_DURATION_MS = 2_147_483_647;

export const readDuration = (value: string): number => {
  const [, digits, unit = ""] = /^(\d{1,9})(ms|s|m|h)$/.exec(value) ?? [];
  if (digits === undefined) throw new Error("is not a duration such as 500ms, 5s, 15m or 2h");
  const ms = Number(digits) * (UNITS[unit] ?? 0);
  if (ms > MAX_DURATION_MS) throw new Error("is longer than 596h");
  return ms;
};

/** A duration such as `500ms`, `5s`, `15m` or `2h`, as milliseconds. Where it may be 0, `0` needs no unit. */
export const durationFrom = (atLeastMs: number) =>
  kind("duration", (value) => {
    const ms = value === "0" && atLeastMs === 0 ? 0 : readDuration(value);
    if (ms < atLeastMs) throw new Error(`is shorter than ${atLeastMs}ms`);
    return ms;
  });
export const duration = durationFrom(1);

const readInteger = (value: string, min: number, max: number): number => {
  const number = Number(value);
  if (!/^-?\d{1,12}$/.test(value) || number < min || number > max)
    throw new Error(`is not a whole number from ${min} to ${max}`);
  return number;
};

export const integer = (min: number, max: number) => kind("number", (value) => readInteger(value, min, max));

/** -1 leaves the number to the brokers. */
export const replicas = kind("number", (value) => (value === "-1" ? -1 : readInteger(value, 1, 32)));

/** A TCP port. Kubernetes injects `tcp://…` for services under such names: that has an error message of its own. */
export const port = kind("port", (value) => {
  if (value.startsWith("tcp://"))
    throw new Error(
      "is an address, which Kubernetes injects for a service of that name: rename the service or set " +
        "enableServiceLinks: false on the pod",
    );
  return readInteger(value, 0, 65_535);
});

/** OpenTelemetry's specification asks for any case. */
const readFlag = kind("true or false", (value) => {
  const word = value.toLowerCase();
  if (word !== "true" && word !== "false") throw new Error("is neither true nor false");
  return word === "true";
});
export const flag = (env: string, help: string) => readFlag(env, "false", help);

export const list = kind("list", itemsIn);

/** Names the items that are not right, without a user and password before an `@`. `form` completes "which is …". */
export const listOf =
  (isRight: (item: string) => boolean, form: string, mayBeEmpty = true) =>
  (value: string): readonly string[] => {
    const items = itemsIn(value);
    const odd = items.filter((item) => !isRight(item)).map((item) => `"${item.replace(/^.*@/s, "…@")}"`);
    if (odd.length > 0)
      throw new Error(`holds ${odd.join(" and ")}, ${odd.length > 1 ? "each of which" : "which"} is ${form}`);
    if (items.length === 0 && !mayBeEmpty) throw new Error("is empty");
    return items;
  };

export const splitPair = (item: string): [name: string, value: string] => {
  const [name = "", ...value] = item.split("=");
  return [name.trim(), value.join("=").trim()];
};

export const pairsOf = (
  isRight: (name: string, value: string) => boolean,
  form: string,
  mayBeEmpty = true,
) => {
  const read = listOf((item) => isRight(...splitPair(item)), form, mayBeEmpty);
  return (value: string) => read(value).map(splitPair);
};

export const checkOnce = (names: readonly string[]): void => {
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) throw new Error(`names ${repeated} twice`);
};

const readSigns = pairsOf(
  (pointer, value) => JSON_POINTER.test(pointer) && value !== "",
  "no JSON pointer and value such as /status=ERROR",
);

export const pointersWithValues = kind("list of /pointer=value", (text) =>
  readSigns(text).map(([pointer, value]) => ({ pointer, value })),
);

const readPointers = listOf((item) => JSON_POINTER.test(item), "no JSON pointer such as /meta/next", false);

/** JSON pointers; `none` is an empty list, which is not the same as no value. */
export const jsonPointers = kind("list of JSON pointers, or none", (value) =>
  value === "none" ? [] : readPointers(value),
);

const readFields = pairsOf(
  (name, pointer) => /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/.test(name) && JSON_POINTER.test(pointer),
  "no name and JSON pointer such as rate=/data/rate",
);

export const namedFields = kind("list of name=/pointer", (text) => {
  const fields = readFields(text).map(([name, pointer]) => ({ name, pointer }));
  checkOnce(fields.map(({ name }) => name));
  if (fields.length > MAX_FIELDS) throw new Error(`names more than ${MAX_FIELDS} fields`);
  return fields;
});

export const statuses = kind(
  "list of statuses",
  listOf((item) => /^([3-5]\d\d|[3-5]xx)$/.test(item), "no HTTP status such as 409 or 4xx"),
);

export const oneOf = <T extends string>(values: readonly T[]) =>
  kind(values.join(", "), (value): T => {
    const match = values.find((candidate) => candidate === value);
    if (match === undefined) throw new Error(`is none of ${values.join(", ")}`);
    return match;
  });

export const someOf = <T extends string>(values: readonly T[]) => {
  const names = values.join(", ");
  const read = listOf((item) => values.some((each) => each === item), `none of ${names}`, false);
  return kind(`list of ${names}`, (value): readonly T[] => {
    const items = read(value);
    return values.filter((each) => items.includes(each));
  });
};
