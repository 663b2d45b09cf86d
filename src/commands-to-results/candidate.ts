import type { Command as CommandRecord } from "../records.ts";

/** The kinds of request, and the fields of each: the same in Avro and in JSON. */
export const FIELDS = {
  CreateQuote: ["direction", "purpose", "quotedAmount", "baseCurrencyIso", "quotedCurrencyIso"],
  AcceptQuote: ["quoteId", "counterpartyId", "amount", "externalId"],
} as const;

export type RequestType = keyof typeof FIELDS;

/** What was read, before any rule is applied to a value. A map, so that a field named like a member of Object is just a field. */
export type Candidate = {
  values: ReadonlyMap<string, unknown>;
  /** Null when it is not known what is asked for. */
  type: RequestType | null;
  request: ReadonlyMap<string, unknown>;
  /** The first thing wrong with the shape: an unknown, repeated or missing field, or a value of the wrong kind. */
  problem: string | null;
};

export const isRequestType = (name: unknown): name is RequestType =>
  typeof name === "string" && Object.hasOwn(FIELDS, name);

/** A decoded Avro record has the right shape already; its request is wrapped by the full name of its branch. */
export const fromRecord = (record: CommandRecord): Candidate => {
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
