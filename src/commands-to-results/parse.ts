import type { Command as CommandRecord } from "../records.ts";
import { readInstant } from "../runtime/instant.ts";
import { members } from "../runtime/json.ts";

/** The request types and the fields of each, the same in Avro and in JSON. */
export const FIELDS = {
  CreateQuote: ["direction", "purpose", "quotedAmount", "baseCurrencyIso", "quotedCurrencyIso"],
  AcceptQuote: ["quoteId", "counterpartyId", "amount", "externalId"],
} as const;
const COMMAND_FIELDS = ["commandId", "issuedAt", "expiresAt", "request"];
const NAMESPACE = "cambio.bridge.v1.";
/** Longer field names are cut in messages. */
const SHOWN_NAME_LENGTH = 64;

export type RequestType = keyof typeof FIELDS;

/**
 * A command as parsed, before any rule is applied to its values. Maps, because a JSON field may be called
 * like a member of Object ("constructor").
 */
export type ParsedCommand = {
  values: ReadonlyMap<string, unknown>;
  /** The request type is unknown if this is null. */
  type: RequestType | null;
  request: ReadonlyMap<string, unknown>;
  /** The first fault of the shape, such as an unknown or repeated field; null for none. */
  problem: string | null;
};

const requestTypeOf = (name: unknown): RequestType | null => {
  const type = typeof name === "string" && name.startsWith(NAMESPACE) ? name.slice(NAMESPACE.length) : name;
  return typeof type === "string" && Object.hasOwn(FIELDS, type) ? (type as RequestType) : null;
};

/** Avro has checked the shape. The request is wrapped by the full name of its union branch. */
export const commandFromRecord = ({ request, ...values }: CommandRecord): ParsedCommand => {
  const [branch] = Object.entries<object>(request);
  const type = requestTypeOf(branch?.[0]);
  return {
    values: new Map(Object.entries(values)),
    type,
    request: new Map(Object.entries(branch?.[1] ?? {})),
    problem: type === null ? "request is of an unknown type" : null,
  };
};

type Level = { values: Map<string, unknown>; raws: Map<string, string>; problem: string | null };

const shown = (name: string): string => JSON.stringify(name.slice(0, SHOWN_NAME_LENGTH));

/** The optional fields, and the name of their type in which Avro's JSON wraps a value that is not null. */
const WRAPPERS: ReadonlyMap<string, string> = new Map([
  ["expiresAt", "long"],
  ["amount", "string"],
  ["externalId", "string"],
]);

/** The value of a field, as it is or wrapped as `{"string": "10.00"}`. Any other object stays, for the rules to refuse. */
const valueOf = (key: string, raw: string): unknown => {
  const [wrapped, ...others] = (raw.startsWith("{") && members(raw)) || [];
  const isWrapped = wrapped !== undefined && others.length === 0 && wrapped.key === WRAPPERS.get(key);
  return JSON.parse(isWrapped ? wrapped.raw : raw);
};

/** Reads one JSON object of the command. A repeated field gets no value: neither can be trusted. */
const readLevel = (text: string, path: string): Level => {
  const values = new Map<string, unknown>();
  const raws = new Map<string, string>();
  let problem: string | null = null;
  for (const { key, raw } of members(text) ?? []) {
    const isRepeated = raws.has(key);
    if (isRepeated) problem ??= `${path} holds the field ${shown(key)} twice`;
    values.set(key, isRepeated ? undefined : valueOf(key, raw));
    raws.set(key, raw);
  }
  return { values, raws, problem };
};

const problemOf = (level: Level, path: string, known: readonly string[]): string | null => {
  if (level.problem !== null) return level.problem;
  for (const key of level.raws.keys())
    if (!known.includes(key)) return `${path} holds the unknown field ${shown(key)}`;
  return null;
};

const isObject = (raw: string | undefined): raw is string => raw?.startsWith("{") === true;

type RequestPart = { type: RequestType | null; request: Map<string, unknown>; problem: string | null };

/** The request: fields beside a `type`, or wrapped by the short or full record name. */
const readRequest = (raw: string | undefined): RequestPart => {
  const refused = (problem: string): RequestPart => ({ type: null, request: new Map(), problem });
  if (!isObject(raw)) return refused("request must be an object");
  const outer = readLevel(raw, "request");
  if (outer.raws.has("type")) {
    const type = outer.values.get("type");
    if (type !== "CreateQuote" && type !== "AcceptQuote")
      return refused(outer.problem ?? "request.type must be CreateQuote or AcceptQuote");
    return { type, request: outer.values, problem: problemOf(outer, "request", ["type", ...FIELDS[type]]) };
  }
  const [name = "", ...others] = outer.raws.keys();
  const type = requestTypeOf(name);
  const inner = outer.raws.get(name);
  if (type === null || !isObject(inner))
    return refused("request must hold a type, or one object named CreateQuote or AcceptQuote");
  const path = `request.${type}`;
  const level = readLevel(inner, path);
  const crowded = others.length > 0 ? "request must hold one request only" : null;
  const problem = outer.problem ?? crowded ?? problemOf(level, path, FIELDS[type]);
  return { type, request: level.values, problem };
};

/** RFC 3339 text becomes epoch milliseconds; anything else stays as it is, for the rules to refuse. */
const asInstant = (value: unknown): unknown =>
  typeof value === "string" ? (readInstant(value) ?? value) : value;

/**
 * Reads a command from a text that JSON.parse accepted as an object.
 * @param timestampMs the record's Kafka timestamp, used when issuedAt is absent
 */
export const commandFromJson = (text: string, timestampMs: number): ParsedCommand => {
  const top = readLevel(text, "the command");
  const { type, request, problem } = readRequest(top.raws.get("request"));
  const instant = (field: string, absent: unknown): unknown =>
    top.raws.has(field) ? asInstant(top.values.get(field)) : absent;
  if (type === "AcceptQuote")
    for (const optional of ["amount", "externalId"]) if (!request.has(optional)) request.set(optional, null);
  return {
    values: new Map([
      ["commandId", top.values.get("commandId")],
      ["issuedAt", instant("issuedAt", timestampMs)],
      ["expiresAt", instant("expiresAt", null)],
    ]),
    type,
    request,
    problem: problemOf(top, "the command", COMMAND_FIELDS) ?? problem,
  };
};
