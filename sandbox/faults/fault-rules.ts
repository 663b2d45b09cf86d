import { fieldsFrom, isFields, numberIn, choiceIn, WrongInput, type Fields } from "../runtime/wrong-input.ts";
import type { Operation } from "../types.ts";

const matchable = ["quoteId", "path", "query", "url", "transactionId", "status", "body"] as const;

/** All given fields must match. A text that ends in `*` matches as a prefix. */
export type FaultMatch = Partial<Record<(typeof matchable)[number], string>>;

const string = (fields: Fields, name: string): string | null => {
  const value = fields[name] ?? null;
  if (value !== null && typeof value !== "string") throw new WrongInput(`${name} must be a string`);
  return value;
};

const stringMap = (fields: Fields, name: string): Record<string, string> => {
  const value = fields[name] ?? {};
  if (!isFields(value)) throw new WrongInput(`${name} must be an object of strings`);
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (typeof item !== "string") throw new WrongInput(`${name}.${key} must be a string`);
      return [key.toLowerCase(), item];
    }),
  );
};

const when = (fields: Fields) => choiceIn(fields, "when", ["before", "after"], "before");

const bytes = (fields: Fields): number | null =>
  fields["bytes"] === undefined ? null : Math.trunc(numberIn(fields, "bytes", 0, 0, 2 ** 40));

const dayMs = 86_400_000;
const millis = (fields: Fields, fallback: number, days: number): number =>
  numberIn(fields, "ms", fallback, 0, days * dayMs);

/**
 * `when`: before or after the operation is executed. Milliseconds are real. Bodies break after `bytes` (null: half).
 */
const requestFaults = {
  latency: (f: Fields) => ({ kind: "latency" as const, ms: millis(f, 1000, 1) }),
  throttle: (f: Fields) => ({
    kind: "throttle" as const,
    headers: { "retry-after": string(f, "retryAfter") ?? "1" },
  }),
  unauthorized: () => ({ kind: "unauthorized" as const }),
  status: (f: Fields) => ({
    kind: "status" as const,
    status: Math.trunc(numberIn(f, "status", 503, 200, 599)),
    when: when(f),
    body: string(f, "body"),
    headers: stringMap(f, "headers"),
  }),
  hang: (f: Fields) => ({ kind: "hang" as const, when: when(f) }),
  reset: (f: Fields) => ({ kind: "reset" as const, when: when(f) }),
  garbage: (f: Fields) => ({ kind: "garbage" as const, when: when(f) }),
  "slow-body": (f: Fields) => ({ kind: "slow-body" as const, ms: millis(f, 1000, 1) }),
  "cut-body": (f: Fields) => ({ kind: "cut-body" as const, bytes: bytes(f) }),
  "stall-body": (f: Fields) => ({ kind: "stall-body" as const, bytes: bytes(f) }),
  "endless-body": (f: Fields) => ({
    kind: "endless-body" as const,
    bytes: bytes(f),
    filler: string(f, "filler") || " ",
  }),
};

/** `ms` is the partner's time, which the time scale divides. */
const notificationFaults = {
  duplicate: (f: Fields) => ({
    kind: "duplicate" as const,
    times: Math.trunc(numberIn(f, "times", 1, 1, 1000)),
  }),
  delay: (f: Fields) => ({ kind: "delay" as const, ms: millis(f, 60_000, 365) }),
  drop: (f: Fields) => ({
    kind: "drop" as const,
    logged: choiceIn(f, "logged", ["failed", "delivered"], "failed"),
  }),
};

type FaultOf<Parsers extends Record<string, (fields: Fields) => unknown>> = ReturnType<
  Parsers[keyof Parsers]
>;
export type RequestFault = FaultOf<typeof requestFaults>;
type NotificationFault = FaultOf<typeof notificationFaults>;
type Fault = RequestFault | NotificationFault;

export type FaultRule = {
  operation: Operation | "notification" | "any";
  match: FaultMatch;
  /** The chance that the fault is applied to a match, from 0 to 1. */
  probability: number;
  /** How many matches it skips first. */
  skip: number;
  /** How often it is applied at most; null: without a limit. */
  count: number | null;
  fault: Fault;
};

export const isNotificationFault = (fault: Fault): fault is NotificationFault =>
  Object.hasOwn(notificationFaults, fault.kind);

const operations = ["create", "accept", "subscribe", "logs", "notification", "any"] as const;
const known =
  "operation match probability skip count kind ms retryAfter status when body headers times bytes filler logged".split(
    " ",
  );

const matchOf = (value: unknown): FaultMatch => {
  if (!isFields(value)) throw new WrongInput("match must be an object");
  const match: FaultMatch = {};
  for (const name of Object.keys(value))
    if (!(matchable as readonly string[]).includes(name))
      throw new WrongInput(`match.${name} is not one of ${matchable.join(", ")}`);
  for (const name of matchable) {
    const text = string(value, name);
    if (text !== null) match[name] = text;
  }
  return match;
};

/** Parses a rule of /_sandbox/faults. Throws {@link WrongInput}. */
export const parseFaultRule = (value: unknown): FaultRule => {
  const fields = fieldsFrom(value, known);
  const operation = choiceIn(fields, "operation", operations, "any");
  const parsers: Record<string, (fields: Fields) => Fault> =
    operation === "notification" ? notificationFaults : requestFaults;
  const kind = fields["kind"];
  const parse = typeof kind === "string" && Object.hasOwn(parsers, kind) ? parsers[kind] : undefined;
  if (!parse) throw new WrongInput(`kind must be one of ${Object.keys(parsers).join(", ")} for ${operation}`);
  const count = fields["count"] ?? null;
  return {
    operation,
    match: matchOf(fields["match"] ?? {}),
    probability: numberIn(fields, "probability", 1, 0, 1),
    skip: numberIn(fields, "skip", 0, 0, Number.MAX_SAFE_INTEGER),
    count: count === null ? null : numberIn(fields, "count", 1, 0, Number.MAX_SAFE_INTEGER),
    fault: parse(fields),
  };
};
