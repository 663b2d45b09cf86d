import { choiceIn, fieldsFrom, isFields, numberIn, WrongInput, type Fields } from "../runtime/wrong-input.ts";
import type { LostAs, Operation } from "../types.ts";

const matchable = ["quoteId", "path", "query", "url", "transactionId", "status", "body"] as const;

/** All given fields must match. A text that ends in `*` matches as a prefix. */
export type FaultMatch = Partial<Record<(typeof matchable)[number], string>>;

const requestKinds = ["latency", "throttle", "unauthorized", "status", "hang", "reset", "garbage"] as const;
/** These faults come after a correct head of the answer. */
const bodyKinds = ["slow-body", "cut-body", "stall-body", "endless-body"] as const;
const notificationKinds = ["duplicate", "delay", "drop"] as const;

/** The fields of all kinds of faults, each of which heeds its own. */
type FaultFields = {
  /** Real time; that of a delay is the partner's, which the time scale divides. */
  ms: number;
  /** Before or after the operation is executed. */
  when: "before" | "after";
  status: number;
  headers: Record<string, string>;
  body: string | null;
  retryAfter: string;
  /** A body breaks after so many; null: after half of it. */
  bytes: number | null;
  /** What an endless body goes on with. */
  filler: string;
  times: number;
  logged: LostAs;
};
type FaultOf<Kind extends string> = Kind extends string ? FaultFields & { kind: Kind } : never;
export type BodyFault = FaultOf<(typeof bodyKinds)[number]>;
export type RequestFault = FaultOf<(typeof requestKinds)[number]> | BodyFault;
type NotificationFault = FaultOf<(typeof notificationKinds)[number]>;
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
  notificationKinds.some((kind) => kind === fault.kind);

const operations = ["create", "accept", "subscribe", "logs", "notification", "any"] as const;
const known =
  "operation match probability skip count kind ms retryAfter status when body headers times bytes filler logged".split(
    " ",
  );
/** Node's timers overflow at 24 days. */
const longestMs = 20 * 86_400_000;

const string = (fields: Fields, name: string): string | null => {
  const value = fields[name] ?? null;
  if (value !== null && typeof value !== "string") throw new WrongInput(`${name} must be a string`);
  return value;
};

const object = (fields: Fields, name: string): Fields => {
  const value = fields[name] ?? {};
  if (!isFields(value)) throw new WrongInput(`${name} must be an object of strings`);
  return value;
};

const headersOf = (fields: Fields): Record<string, string> => {
  const headers = object(fields, "headers");
  const names = Object.keys(headers);
  return Object.fromEntries(names.map((name) => [name.toLowerCase(), string(headers, name) ?? ""]));
};

const matchOf = (fields: Fields): FaultMatch => {
  const match = fieldsFrom(object(fields, "match"), matchable);
  const texts = matchable.map((name) => ({ name, text: string(match, name) }));
  return Object.fromEntries(texts.flatMap(({ name, text }) => (text === null ? [] : [[name, text]])));
};

/** Reads a rule of /_sandbox/faults; throws a WrongInput. */
export const parseFaultRule = (value: unknown): FaultRule => {
  const fields = fieldsFrom(value, known);
  const number = (name: string, fallback: number, least: number, most: number): number =>
    numberIn(fields, name, fallback, least, most);
  const operation = choiceIn(fields, "operation", operations, "any");
  const kinds = operation === "notification" ? notificationKinds : [...requestKinds, ...bodyKinds];
  const kind = choiceIn<Fault["kind"]>(fields, "kind", kinds);
  const { bytes = null, count = null } = fields;
  return {
    operation,
    match: matchOf(fields),
    probability: number("probability", 1, 0, 1),
    skip: number("skip", 0, 0, Number.MAX_SAFE_INTEGER),
    count: count === null ? null : number("count", 1, 0, Number.MAX_SAFE_INTEGER),
    fault: {
      kind,
      ms: number("ms", kind === "delay" ? 60_000 : 1_000, 0, longestMs),
      when: choiceIn(fields, "when", ["before", "after"], "before"),
      status: Math.trunc(number("status", 503, 200, 599)),
      headers: headersOf(fields),
      body: string(fields, "body"),
      retryAfter: string(fields, "retryAfter") ?? "1",
      bytes: bytes === null ? null : Math.trunc(number("bytes", 0, 0, 2 ** 40)),
      filler: string(fields, "filler") || " ",
      times: Math.trunc(number("times", 1, 1, 1000)),
      logged: choiceIn(fields, "logged", ["failed", "delivered"], "failed"),
    },
  };
};
