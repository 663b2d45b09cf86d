import { validateHeaderName, validateHeaderValue } from "node:http";
import type { Operation } from "../types.ts";

export type When = "before" | "after";

/** What goes wrong. `before` and `after` mean: before or after the operation was executed. Milliseconds are real. */
export type RequestFault =
  | { kind: "latency"; ms: number }
  | { kind: "throttle"; retryAfter: string }
  | { kind: "unauthorized" }
  | { kind: "status"; status: number; when: When; body: string | null; headers: Record<string, string> }
  | { kind: "hang"; when: When }
  | { kind: "reset"; when: When }
  | { kind: "garbage"; when: When }
  | { kind: "slow-body"; ms: number }
  | { kind: "cut-body" };

/** What goes wrong with a notification. `ms` is the partner's time: the time scale divides it. */
export type NotificationFault =
  | { kind: "duplicate"; times: number }
  | { kind: "delay"; ms: number }
  | { kind: "reorder" }
  | { kind: "drop" }
  | { kind: "forge" }
  | { kind: "burst"; size: number };

export type Fault = RequestFault | NotificationFault;

/** Each part that is given must hold. A text that ends in `*` is a prefix. */
export type FaultMatch = {
  quoteId?: string;
  path?: string;
  url?: string;
  transactionId?: string;
  status?: string;
  body?: string;
  header?: Record<string, string>;
};

export type FaultRule = {
  operation: Operation | "notification" | "any";
  match: FaultMatch;
  /** Chance that a match is hit, from 0 to 1. */
  probability: number;
  /** How many matches are let through first. */
  skip: number;
  /** How many matches are hit at most; null: all. */
  count: number | null;
  fault: Fault;
};

export class FaultRuleError extends Error {
  override readonly name = "FaultRuleError";
}

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const number = (fields: Fields, name: string, fallback: number, least: number, most: number): number => {
  const value = fields[name] ?? fallback;
  if (typeof value !== "number" || !(value >= least && value <= most))
    throw new FaultRuleError(`${name} must be a number from ${least} to ${most}`);
  return value;
};

const string = (fields: Fields, name: string): string | null => {
  const value = fields[name] ?? null;
  if (value !== null && typeof value !== "string") throw new FaultRuleError(`${name} must be a string`);
  return value;
};

const stringMap = (fields: Fields, name: string): Record<string, string> => {
  const value = fields[name] ?? {};
  if (!isFields(value)) throw new FaultRuleError(`${name} must be an object of strings`);
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (typeof item !== "string") throw new FaultRuleError(`${name}.${key} must be a string`);
      return [key.toLowerCase(), item];
    }),
  );
};

/** Headers that can be sent: what Node refuses must be refused here, not in the middle of an answer. */
const sendable = (headers: Record<string, string>): Record<string, string> => {
  for (const [name, value] of Object.entries(headers))
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch {
      throw new FaultRuleError(`${name} is not a header that can be sent`);
    }
  return headers;
};

const retryAfter = (fields: Fields): string => {
  const value = string(fields, "retryAfter") ?? "1";
  sendable({ "retry-after": value });
  return value;
};

const when = (fields: Fields): When => {
  const value = fields["when"] ?? "before";
  if (value !== "before" && value !== "after") throw new FaultRuleError(`when must be "before" or "after"`);
  return value;
};

const dayMs = 86_400_000;

const requestFaults: Record<RequestFault["kind"], (fields: Fields) => RequestFault> = {
  latency: (f) => ({ kind: "latency", ms: number(f, "ms", 1000, 0, dayMs) }),
  throttle: (f) => ({ kind: "throttle", retryAfter: retryAfter(f) }),
  unauthorized: () => ({ kind: "unauthorized" }),
  status: (f) => ({
    kind: "status",
    status: Math.trunc(number(f, "status", 503, 200, 599)),
    when: when(f),
    body: string(f, "body"),
    headers: sendable(stringMap(f, "headers")),
  }),
  hang: (f) => ({ kind: "hang", when: when(f) }),
  reset: (f) => ({ kind: "reset", when: when(f) }),
  garbage: (f) => ({ kind: "garbage", when: when(f) }),
  "slow-body": (f) => ({ kind: "slow-body", ms: number(f, "ms", 1000, 0, dayMs) }),
  "cut-body": () => ({ kind: "cut-body" }),
};

const notificationFaults: Record<NotificationFault["kind"], (fields: Fields) => NotificationFault> = {
  duplicate: (f) => ({ kind: "duplicate", times: Math.trunc(number(f, "times", 1, 1, 1000)) }),
  delay: (f) => ({ kind: "delay", ms: number(f, "ms", 60_000, 0, 365 * dayMs) }),
  reorder: () => ({ kind: "reorder" }),
  drop: () => ({ kind: "drop" }),
  forge: () => ({ kind: "forge" }),
  burst: (f) => ({ kind: "burst", size: Math.trunc(number(f, "size", 10, 2, 10_000)) }),
};

export const isNotificationFault = (fault: Fault): fault is NotificationFault =>
  Object.hasOwn(notificationFaults, fault.kind);

const operations = ["create", "accept", "subscribe", "logs", "notification", "any"] as const;
const known =
  "operation match probability skip count kind ms retryAfter status when body headers times size".split(" ");
const matchable = ["quoteId", "path", "url", "transactionId", "status", "body"] as const;

const matchOf = (value: unknown): FaultMatch => {
  if (!isFields(value)) throw new FaultRuleError("match must be an object");
  const match: FaultMatch = {};
  for (const name of Object.keys(value))
    if (name !== "header" && !(matchable as readonly string[]).includes(name))
      throw new FaultRuleError(`match.${name} is not one of ${[...matchable, "header"].join(", ")}`);
  for (const name of matchable) {
    const text = string(value, name);
    if (text !== null) match[name] = text;
  }
  if (value["header"] !== undefined) match.header = stringMap(value, "header");
  return match;
};

/** Reads one rule of /_sandbox/faults; throws a {@link FaultRuleError} that says what is wrong with it. */
export const parseFaultRule = (value: unknown): FaultRule => {
  if (!isFields(value)) throw new FaultRuleError("a fault rule is a JSON object");
  for (const name of Object.keys(value))
    if (!known.includes(name))
      throw new FaultRuleError(`${name} is not a field of a fault rule: ${known.join(", ")}`);
  const operation = operations.find((name) => name === (value["operation"] ?? "any"));
  if (!operation) throw new FaultRuleError(`operation must be one of ${operations.join(", ")}`);
  const parsers: Record<string, (fields: Fields) => Fault> =
    operation === "notification" ? notificationFaults : requestFaults;
  const kind = value["kind"];
  const parse = typeof kind === "string" && Object.hasOwn(parsers, kind) ? parsers[kind] : undefined;
  if (!parse)
    throw new FaultRuleError(`kind must be one of ${Object.keys(parsers).join(", ")} for ${operation}`);
  const count = value["count"] ?? null;
  return {
    operation,
    match: matchOf(value["match"] ?? {}),
    probability: number(value, "probability", 1, 0, 1),
    skip: number(value, "skip", 0, 0, Number.MAX_SAFE_INTEGER),
    count: count === null ? null : number(value, "count", 1, 0, Number.MAX_SAFE_INTEGER),
    fault: parse(value),
  };
};
