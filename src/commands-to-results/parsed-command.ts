import type { Command as CommandRecord } from "../records.ts";

/** The request types and the fields of each, the same in Avro and in JSON. */
export const FIELDS = {
  CreateQuote: ["direction", "purpose", "quotedAmount", "baseCurrencyIso", "quotedCurrencyIso"],
  AcceptQuote: ["quoteId", "counterpartyId", "amount", "externalId"],
} as const;

export type RequestType = keyof typeof FIELDS;

/**
 * A command as parsed, before any rule is applied to its values. Maps, because a JSON field may be called
 * like a member of Object ("constructor").
 */
export type ParsedCommand = {
  values: ReadonlyMap<string, unknown>;
  /** Null when the request type is unknown. */
  type: RequestType | null;
  request: ReadonlyMap<string, unknown>;
  /**
   * The first fault of the shape, such as an unknown or repeated field, or not exactly one request of a known
   * type; null for none.
   */
  problem: string | null;
};

export const isRequestType = (name: unknown): name is RequestType =>
  typeof name === "string" && Object.hasOwn(FIELDS, name);

/** Avro has checked the shape. The request is wrapped by the full name of its union branch. */
export const fromRecord = (record: CommandRecord): ParsedCommand => {
  const { request, ...values } = record;
  const [branch] = Object.entries<object>(request);
  const type = branch?.[0].split(".").at(-1);
  return {
    values: new Map(Object.entries(values)),
    type: isRequestType(type) ? type : null,
    request: new Map(Object.entries(branch?.[1] ?? {})),
    problem: isRequestType(type) ? null : "request is of an unknown type",
  };
};
