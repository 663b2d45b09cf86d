import { MAX_INSTANT_MS } from "../runtime/instant.ts";

/** Returns null for a valid value, else the rule that it breaks, as the rest of "<field> must …". */
export type FieldRule = (value: unknown) => string | null;

/** Ids become journal keys, record keys and headers: bounded so that they can be kept in memory. */
export const MAX_ID_LENGTH = 1024;
/** Digits and the decimal point. */
export const MAX_AMOUNT_LENGTH = 128;

const AMOUNT = /^(0|[1-9]\d*)(\.\d+)?$/;
const NOT_ZERO = /[1-9]/;
const SPACE_OR_CONTROL = /[\s\p{Cc}]/u;

/** UTF-8 replaces lone surrogates, so two different ids could become one. */
export const anyText: FieldRule = (value) => {
  if (typeof value !== "string") return "be a string";
  if (value.length > MAX_ID_LENGTH) return `have at most ${MAX_ID_LENGTH} characters`;
  return value.isWellFormed() ? null : "be well-formed Unicode";
};

export const id: FieldRule = (value) => anyText(value) ?? (value === "" ? "not be empty" : null);

/** Becomes one path segment: nothing that a server or proxy might drop or resolve. */
export const quoteId: FieldRule = (value) => {
  const problem = id(value);
  if (problem !== null || typeof value !== "string") return problem;
  if (value === "." || value === "..") return "not be a dot segment";
  return SPACE_OR_CONTROL.test(value) ? "not hold white space or control characters" : null;
};

export const amount: FieldRule = (value) => {
  if (typeof value !== "string") return "be a string with a decimal number";
  if (value.length > MAX_AMOUNT_LENGTH) return `have at most ${MAX_AMOUNT_LENGTH} characters`;
  if (!AMOUNT.test(value)) return "be a decimal number in plain notation, such as 1234.50";
  return NOT_ZERO.test(value) ? null : "be greater than zero";
};

export const instant: FieldRule = (value) =>
  typeof value === "number" && Number.isInteger(value) && Math.abs(value) <= MAX_INSTANT_MS
    ? null
    : "be an RFC 3339 date-time with a time zone, or whole milliseconds since the epoch";

export const optional =
  (rule: FieldRule): FieldRule =>
  (value) =>
    value === null ? null : rule(value);

export const knownText = (allowed: readonly string[]): FieldRule => {
  const set = new Set<unknown>(allowed);
  const words = `be one of ${[...new Set(allowed)].join(", ")}`;
  return (value) => (set.has(value) ? null : words);
};
