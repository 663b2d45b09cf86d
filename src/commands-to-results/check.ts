import { isUtf8 } from "node:buffer";
import type { Command as CommandRecord, Operation } from "../records.ts";
import { objectOf, parseJson } from "../runtime/json.ts";
import { commandFromJson, commandFromRecord } from "./parse.ts";
import type { FIELDS, ParsedCommand, RequestType } from "./parse.ts";
import * as must from "./field-rules.ts";
import type { FieldRule } from "./field-rules.ts";
import { requestHash } from "./translate.ts";
import type { Command, Identity } from "./types.ts";

export type Refused = {
  ok: false;
  code: "INVALID_COMMAND" | "UNREADABLE_COMMAND";
  /** Names the field, never its value. */
  message: string;
  identity: Identity;
  /** The hash of a command that only a list of allowed values refuses: a setting may allow it later. Else null. */
  requestHash: string | null;
};

/** `identity` holds what could be found and is valid. */
export type Checked = { ok: true; command: Command; identity: Identity } | Refused;

const DIRECTIONS = ["INBOUND", "OUTBOUND"];
const PURPOSES = ["COMEX", "PAYMENT_PROCESSING", "CAPITAL_INCREASE", "CRYPTO"];
const CURRENCIES = ["USD", "EUR", "AUD", "CHF", "BRL"];

const OPERATIONS = {
  CreateQuote: "CREATE_QUOTE",
  AcceptQuote: "ACCEPT_QUOTE",
} as const satisfies Record<RequestType, Operation>;

type Rules = Readonly<Record<string, FieldRule>>;
type RequestRules = { [T in RequestType]: Readonly<Record<(typeof FIELDS)[T][number], FieldRule>> };

const commandRules: Rules = {
  commandId: must.id,
  issuedAt: must.instant,
  expiresAt: must.optional(must.instant),
};

const requestRules = (direction: FieldRule, purpose: FieldRule, currency: FieldRule): RequestRules => ({
  CreateQuote: {
    direction,
    purpose,
    quotedAmount: must.amount,
    baseCurrencyIso: currency,
    quotedCurrencyIso: currency,
  },
  AcceptQuote: {
    quoteId: must.quoteId,
    counterpartyId: must.id,
    amount: must.optional(must.amount),
    externalId: must.optional(must.anyText),
  },
});

/** Form only: independent of the lists of allowed values, which are settings. */
const formRules = requestRules(must.anyText, must.anyText, must.anyText);

const brokenRule = (values: ParsedCommand["values"], path: string, rules: Rules): string | null => {
  for (const [field, rule] of Object.entries(rules)) {
    const problem = rule(values[field]);
    if (problem !== null) return `${path}${field} must ${problem}`;
  }
  return null;
};

const problemOf = ({ values, type, request, problem }: ParsedCommand, rules: RequestRules): string | null =>
  problem ??
  brokenRule(values, "", commandRules) ??
  (type === null ? "request is of an unknown type" : brokenRule(request, "request.", rules[type]));

/** The cast is safe: every field has passed the rule of its type. */
const commandOf = ({ values, type, request }: ParsedCommand): Command =>
  ({ ...values, request: { type, ...request } }) as Command;

const validOrNull = (value: unknown, rule: FieldRule): string | null =>
  typeof value === "string" && rule(value) === null ? value : null;

const identityOf = ({ values, type, request }: ParsedCommand): Identity => ({
  commandId: validOrNull(values.commandId, must.id) ?? "",
  operation: type === null ? "UNKNOWN" : OPERATIONS[type],
  quoteId: validOrNull(request.quoteId, must.anyText),
  externalId: validOrNull(request.externalId, must.anyText),
});

/** Decoder messages may quote schema field names of any length; the result must fit into its topic. */
const MAX_MESSAGE_LENGTH = 1_000;

/** @param commandId empty if it could not be found */
export const unreadable = (message: string, commandId = ""): Refused => ({
  ok: false,
  code: "UNREADABLE_COMMAND",
  message: message.slice(0, MAX_MESSAGE_LENGTH),
  identity: { commandId, operation: "UNKNOWN", quoteId: null, externalId: null },
  requestHash: null,
});

/** Longer than a commandId of MAX_ID_LENGTH with every character escaped. */
const LEADING_BYTES = 16_384;
/** Looks at the start of the text only: further in, it could be a field of a nested object. */
const LEADING_COMMAND_ID = /^\s*\{\s*"commandId"\s*:\s*("(?:[^"\\]|\\.)*")\s*,/s;

const utf8OrNull = (bytes: Buffer): string | null => (isUtf8(bytes) ? bytes.toString("utf8") : null);

/** The commandId at the start of a value that cannot be parsed; empty if there is none. */
export const leadingCommandId = (bytes: Buffer): string => {
  // latin1 keeps bytes that are not UTF-8. On a text of more than 8 MB the expression would overflow its stack.
  const start = bytes.subarray(0, LEADING_BYTES).toString("latin1");
  const leading = LEADING_COMMAND_ID.exec(start)?.[1];
  const text = leading === undefined ? null : utf8OrNull(Buffer.from(leading, "latin1"));
  return validOrNull(text === null ? null : parseJson(text), must.id) ?? "";
};

/** Checks shape, allowed values, amounts and identifiers. `options` extend the known purposes and currencies. */
export const checkFor = (options: { purposes: readonly string[]; currencies: readonly string[] }) => {
  const rules = requestRules(
    must.knownText(DIRECTIONS),
    must.knownText([...PURPOSES, ...options.purposes]),
    must.knownText([...CURRENCIES, ...options.currencies]),
  );

  const check = (candidate: ParsedCommand): Checked => {
    const identity = identityOf(candidate);
    const message = problemOf(candidate, rules);
    if (message === null) return { ok: true, command: commandOf(candidate), identity };
    const hasForm = problemOf(candidate, formRules) === null;
    const hash = hasForm ? requestHash(commandOf(candidate)) : null;
    return { ok: false, code: "INVALID_COMMAND", message, identity, requestHash: hash };
  };

  return {
    record: (record: CommandRecord): Checked => check(commandFromRecord(record)),
    /** @param timestampMs the record's Kafka timestamp */
    json: (bytes: Buffer, timestampMs: number): Checked => {
      const text = utf8OrNull(bytes);
      if (text !== null && objectOf(parseJson(text)) !== null)
        return check(commandFromJson(text, timestampMs));
      const lack = text === null ? "valid UTF-8" : "a JSON object";
      return unreadable(`the value is not ${lack}`, leadingCommandId(bytes));
    },
  };
};
