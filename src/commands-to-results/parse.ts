import type { Command as CommandRecord } from "../records.ts";
import { readInstant } from "../runtime/instant.ts";
import { members, type Member } from "../runtime/json.ts";

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

/** Holds known fields only: another one could be called like a member of Object ("constructor"). */
type Values = Readonly<Record<string, unknown>>;

/** A command before any rule is applied. */
export type ParsedCommand = {
  values: Values;
  /** The request type is unknown if this is null. */
  type: RequestType | null;
  request: Values;
  /** The first fault of the shape, such as an unknown or repeated field; null for none. */
  problem: string | null;
};

const isRequestType = (name: unknown): name is RequestType =>
  typeof name === "string" && Object.hasOwn(FIELDS, name);

const typeOfRecord = (name: string): RequestType | null => {
  const shortName = name.startsWith(NAMESPACE) ? name.slice(NAMESPACE.length) : name;
  return isRequestType(shortName) ? shortName : null;
};

/** Avro has checked the shape. The request is wrapped by the full name of its union branch. */
export const commandFromRecord = ({ request, ...values }: CommandRecord): ParsedCommand => {
  const [[name, fields] = ["", {}]] = Object.entries<object>(request);
  return { values, type: typeOfRecord(name), request: { ...fields }, problem: null };
};

const quotedName = (name: string): string => JSON.stringify(name.slice(0, SHOWN_NAME_LENGTH));

/** The optional fields, and the name of their type in which Avro's JSON wraps a value that is not null. */
const WRAPPERS: ReadonlyMap<string, string> = new Map([
  ["expiresAt", "long"],
  ["amount", "string"],
  ["externalId", "string"],
]);

/** The value of a field, as it is or wrapped as `{"string": "10.00"}`. Any other object stays, for the rules to refuse. */
const valueOf = ({ key, raw }: Member): unknown => {
  const wrapper = WRAPPERS.get(key);
  const [wrapped, ...others] = (wrapper !== undefined && members(raw)) || [];
  const isWrapped = wrapped !== undefined && others.length === 0 && wrapped.key === wrapper;
  return JSON.parse(isWrapped ? wrapped.raw : raw);
};

type ReadFields = { values: Values; problem: string | null };

/** Reads the fields of one JSON object. A repeated field gets no value: neither can be trusted. */
const readFields = (fields: readonly Member[], path: string, allowed: readonly string[]): ReadFields => {
  const values: Record<string, unknown> = {};
  let problem: string | null = null;
  for (const field of fields) {
    const { key } = field;
    const isRepeated = Object.hasOwn(values, key);
    if (isRepeated) problem ??= `${path} holds the field ${quotedName(key)} twice`;
    if (allowed.includes(key)) values[key] = isRepeated ? undefined : valueOf(field);
    else problem ??= `${path} holds the unknown field ${quotedName(key)}`;
  }
  return { values, problem };
};

type RequestPart = ReadFields & { type: RequestType | null };

/** The request: fields beside a `type`, or wrapped by the short or full record name. */
const readRequest = (raw = ""): RequestPart => {
  const refused = (problem: string): RequestPart => ({ type: null, values: {}, problem });
  const outer = members(raw);
  if (outer === null) return refused("request must be an object");
  const typeMember = outer.find(({ key }) => key === "type");
  if (typeMember) {
    const type: unknown = JSON.parse(typeMember.raw);
    if (!isRequestType(type)) return refused("request.type must be CreateQuote or AcceptQuote");
    return { type, ...readFields(outer, "request", ["type", ...FIELDS[type]]) };
  }
  const [record, ...others] = outer;
  const type = record ? typeOfRecord(record.key) : null;
  const fields = record ? members(record.raw) : null;
  if (type === null || fields === null || others.length > 0)
    return refused("request must hold a type, or one object named CreateQuote or AcceptQuote");
  return { type, ...readFields(fields, `request.${type}`, FIELDS[type]) };
};

/** RFC 3339 text becomes epoch milliseconds; anything else stays as it is, for the rules to refuse. */
const asInstant = (value: unknown): unknown =>
  typeof value === "string" ? (readInstant(value) ?? value) : value;

/** @param timestampMs the record's Kafka timestamp, used when issuedAt is absent */
export const commandFromJson = (text: string, timestampMs: number): ParsedCommand => {
  const top = members(text) ?? [];
  const { values, problem } = readFields(top, "the command", COMMAND_FIELDS);
  const request = readRequest(top.find(({ key }) => key === "request")?.raw);
  const { commandId, issuedAt = timestampMs, expiresAt = null } = values;
  const absent = request.type === "AcceptQuote" ? { amount: null, externalId: null } : {};
  return {
    values: { commandId, issuedAt: asInstant(issuedAt), expiresAt: asInstant(expiresAt) },
    type: request.type,
    request: { ...absent, ...request.values },
    problem: problem ?? request.problem,
  };
};
