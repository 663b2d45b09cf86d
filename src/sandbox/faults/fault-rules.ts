import { validateHeaderName, validateHeaderValue } from "node:http";
import { fieldsFrom, isFields, numberIn, choiceIn, WrongInput, type Fields } from "../runtime/wrong-input.ts";
import type { LostAs, Operation } from "../types.ts";

export type When = "before" | "after";

/**
 * A fault of a request. `when`: whether it happens before or after the operation is executed. Milliseconds
 * are real.
 */
export type RequestFault =
  | { kind: "latency"; ms: number }
  | { kind: "throttle"; retryAfter: string }
  | { kind: "unauthorized" }
  | { kind: "status"; status: number; when: When; body: string | null; headers: Record<string, string> }
  | { kind: "hang"; when: When }
  | { kind: "reset"; when: When }
  | { kind: "garbage"; when: When }
  | SlowBodyFault
  | BrokenBodyFault;

export type SlowBodyFault = { kind: "slow-body"; ms: number };

/**
 * The body is sent correctly up to `bytes` (null: half of it), then cut off, stalled, or continued without an
 * end.
 */
export type BrokenBodyFault =
  | { kind: "cut-body"; bytes: number | null }
  | { kind: "stall-body"; bytes: number | null }
  | { kind: "endless-body"; bytes: number | null; filler: string };

/** A fault of a notification. `ms` is the partner's time, which the time scale divides. */
export type NotificationFault =
  { kind: "duplicate"; times: number } | { kind: "delay"; ms: number } | { kind: "drop"; logged: LostAs };

export type Fault = RequestFault | NotificationFault;

const matchable = ["quoteId", "path", "query", "url", "transactionId", "status", "body"] as const;

/** All given fields must match. A text that ends in `*` matches as a prefix. */
export type FaultMatch = Partial<Record<(typeof matchable)[number], string>>;

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

/** Checks that Node accepts the headers: otherwise it would throw in the middle of an answer. */
const sendable = (headers: Record<string, string>): Record<string, string> => {
  for (const [name, value] of Object.entries(headers))
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch {
      throw new WrongInput(`${name} is not a header that can be sent`);
    }
  return headers;
};

const retryAfter = (fields: Fields): string => {
  const value = string(fields, "retryAfter") ?? "1";
  sendable({ "retry-after": value });
  return value;
};

const when = (fields: Fields): When => choiceIn(fields, "when", ["before", "after"], "before");

const bytes = (fields: Fields): number | null =>
  fields["bytes"] === undefined ? null : Math.trunc(numberIn(fields, "bytes", 0, 0, 2 ** 40));

const dayMs = 86_400_000;

const requestFaults: Record<RequestFault["kind"], (fields: Fields) => RequestFault> = {
  latency: (f) => ({ kind: "latency", ms: numberIn(f, "ms", 1000, 0, dayMs) }),
  throttle: (f) => ({ kind: "throttle", retryAfter: retryAfter(f) }),
  unauthorized: () => ({ kind: "unauthorized" }),
  status: (f) => ({
    kind: "status",
    status: Math.trunc(numberIn(f, "status", 503, 200, 599)),
    when: when(f),
    body: string(f, "body"),
    headers: sendable(stringMap(f, "headers")),
  }),
  hang: (f) => ({ kind: "hang", when: when(f) }),
  reset: (f) => ({ kind: "reset", when: when(f) }),
  garbage: (f) => ({ kind: "garbage", when: when(f) }),
  "slow-body": (f) => ({ kind: "slow-body", ms: numberIn(f, "ms", 1000, 0, dayMs) }),
  "cut-body": (f) => ({ kind: "cut-body", bytes: bytes(f) }),
  "stall-body": (f) => ({ kind: "stall-body", bytes: bytes(f) }),
  "endless-body": (f) => ({
    kind: "endless-body",
    bytes: bytes(f),
    filler: string(f, "filler") || " ",
  }),
};

const notificationFaults: Record<NotificationFault["kind"], (fields: Fields) => NotificationFault> = {
  duplicate: (f) => ({ kind: "duplicate", times: Math.trunc(numberIn(f, "times", 1, 1, 1000)) }),
  delay: (f) => ({ kind: "delay", ms: numberIn(f, "ms", 60_000, 0, 365 * dayMs) }),
  drop: (f) => ({ kind: "drop", logged: choiceIn(f, "logged", ["failed", "delivered"], "failed") }),
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
