import { members } from "../runtime/json.ts";
import { FIELDS, isRequestType, type ParsedCommand, type RequestType } from "./parsed-command.ts";
import { readInstant } from "../runtime/instant.ts";

type Level = { values: Map<string, unknown>; raws: Map<string, string>; problem: string | null };

const COMMAND_FIELDS = ["commandId", "issuedAt", "expiresAt", "request"];
const NAMESPACE = "cambio.bridge.v1.";
/** Longer field names are cut in messages. */
const SHOWN_NAME_LENGTH = 64;

const shown = (name: string): string => JSON.stringify(name.slice(0, SHOWN_NAME_LENGTH));

/**
 * Reads one JSON object of the command. A repeated field is a problem and gets no value: neither can be
 * trusted.
 */
const readLevel = (text: string, path: string): Level => {
  const values = new Map<string, unknown>();
  const raws = new Map<string, string>();
  const repeated = new Set<string>();
  for (const { key, raw } of members(text) ?? []) {
    if (raws.has(key)) repeated.add(key);
    raws.set(key, raw);
    values.set(key, JSON.parse(raw));
  }
  for (const key of repeated) values.delete(key);
  const [first] = repeated;
  return {
    values,
    raws,
    problem: first === undefined ? null : `${path} holds the field ${shown(first)} twice`,
  };
};

const unknownField = (level: Level, path: string, known: readonly string[]): string | null => {
  for (const key of level.raws.keys())
    if (!known.includes(key)) return `${path} holds the unknown field ${shown(key)}`;
  return null;
};

const isObject = (raw: string | undefined): raw is string => raw?.startsWith("{") === true;

type RequestPart = { type: RequestType | null; request: Map<string, unknown>; problem: string | null };

/** The request: fields beside a `type`, or wrapped by the short or full record name. */
const readRequest = (raw: string | undefined): RequestPart => {
  const nothing = { type: null, request: new Map<string, unknown>() };
  if (!isObject(raw)) return { ...nothing, problem: "request must be an object" };
  const outer = readLevel(raw, "request");
  if (outer.raws.has("type")) {
    const type = outer.values.get("type");
    if (!isRequestType(type))
      return { ...nothing, problem: outer.problem ?? "request.type must be CreateQuote or AcceptQuote" };
    const problem = outer.problem ?? unknownField(outer, "request", ["type", ...FIELDS[type]]);
    return { type, request: outer.values, problem };
  }
  const [name = "", ...others] = outer.raws.keys();
  const type = name.startsWith(NAMESPACE) ? name.slice(NAMESPACE.length) : name;
  const inner = outer.raws.get(name);
  if (!isRequestType(type) || !isObject(inner))
    return {
      ...nothing,
      problem: "request must hold a type, or one object named CreateQuote or AcceptQuote",
    };
  const level = readLevel(inner, `request.${type}`);
  const crowded = others.length > 0 ? "request must hold one request only" : null;
  const problem =
    outer.problem ?? crowded ?? level.problem ?? unknownField(level, `request.${type}`, FIELDS[type]);
  return { type, request: level.values, problem };
};

/** RFC 3339 text becomes epoch milliseconds; anything else stays as it is, for the rules to refuse. */
const asInstant = (value: unknown): unknown =>
  typeof value === "string" ? (readInstant(value) ?? value) : value;

/**
 * Reads a command from a text that JSON.parse accepted as an object.
 * @param timestampMs the record's Kafka timestamp, used when issuedAt is absent
 */
export const fromJson = (text: string, timestampMs: number): ParsedCommand => {
  const top = readLevel(text, "the command");
  const { type, request, problem } = readRequest(top.raws.get("request"));
  const values = new Map<string, unknown>([
    ["commandId", top.values.get("commandId")],
    ["issuedAt", top.raws.has("issuedAt") ? asInstant(top.values.get("issuedAt")) : timestampMs],
    ["expiresAt", top.raws.has("expiresAt") ? asInstant(top.values.get("expiresAt")) : null],
  ]);
  if (type === "AcceptQuote")
    for (const optional of ["amount", "externalId"]) if (!request.has(optional)) request.set(optional, null);
  return {
    values,
    type,
    request,
    problem: top.problem ?? unknownField(top, "the command", COMMAND_FIELDS) ?? problem,
  };
};
