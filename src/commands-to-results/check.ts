import type { Command as CommandRecord, Operation } from "../records.ts";
import type { Candidate, FIELDS, RequestType } from "./candidate.ts";
import { fromRecord } from "./candidate.ts";
import { fromJson } from "./read-json.ts";
import type { Rule } from "./rules.ts";
import {
  amount,
  id,
  instant,
  oneOf,
  optionalAmount,
  optionalInstant,
  optionalText,
  quoteId,
} from "./rules.ts";
import type { Command } from "./types.ts";

/** A command that is not executed because of what it says, or because it says nothing. */
export type Unfit = {
  ok: false;
  /** INVALID_COMMAND: it was read and breaks a rule. UNREADABLE_COMMAND: it could not be read. */
  code: "INVALID_COMMAND" | "UNREADABLE_COMMAND";
  /** Names the field; repeats no value of it. */
  message: string;
  /** Empty where it could not be found, or is not one. */
  commandId: string;
  operation: Operation;
  quoteId: string | null;
  externalId: string | null;
};

export type Checked = { ok: true; command: Command } | Unfit;

export type Check = {
  /** Checks a command that was decoded from Avro. */
  record: (record: CommandRecord) => Checked;
  /** Checks a command in JSON. `timestampMs` is the record's own time. */
  json: (bytes: Buffer, timestampMs: number) => Checked;
};

const DIRECTIONS = ["INBOUND", "OUTBOUND"];
const PURPOSES = ["COMEX", "PAYMENT_PROCESSING", "CAPITAL_INCREASE", "CRYPTO"];
const CURRENCIES = ["USD", "EUR", "AUD", "CHF", "BRL"];

const OPERATIONS = {
  CreateQuote: "CREATE_QUOTE",
  AcceptQuote: "ACCEPT_QUOTE",
} as const satisfies Record<RequestType, Operation>;

type Rules = Readonly<Record<string, Rule>>;

const commandRules: Rules = { commandId: id, issuedAt: instant, expiresAt: optionalInstant };

const brokenRule = (values: ReadonlyMap<string, unknown>, path: string, rules: Rules): string | null => {
  for (const [field, rule] of Object.entries(rules)) {
    const problem = rule(values.get(field));
    if (problem !== null) return `${path}${field} must ${problem}`;
  }
  return null;
};

const kept = (value: unknown, rule: Rule): string | null =>
  typeof value === "string" && rule(value) === null ? value : null;

const identityOf = ({ values, type, request }: Candidate) => ({
  commandId: kept(values.get("commandId"), id) ?? "",
  operation: type === null ? ("UNKNOWN" as const) : OPERATIONS[type],
  quoteId: kept(request.get("quoteId"), optionalText),
  externalId: kept(request.get("externalId"), optionalText),
});

/** Where a broken text begins with the commandId, no nesting can have made it somebody else's. */
const LEADING_COMMAND_ID = /^\s*\{\s*"commandId"\s*:\s*("(?:[^"\\]|\\.)*")\s*,/s;

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const utf8 = (bytes: Buffer): string | null => {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    return null;
  }
};

const unreadable = (message: string, text: string): Unfit => {
  const leading = LEADING_COMMAND_ID.exec(text)?.[1];
  return {
    ok: false,
    code: "UNREADABLE_COMMAND",
    message,
    commandId: kept(leading === undefined ? null : parsed(leading), id) ?? "",
    operation: "UNKNOWN",
    quoteId: null,
    externalId: null,
  };
};

/**
 * The check of a command's form: shape, lists, amounts, identifiers. Pure; a value that breaks a rule is an answer, not an error.
 * @param options.purposes and `currencies` extend the known lists
 */
export const checkFor = (options: { purposes: readonly string[]; currencies: readonly string[] }): Check => {
  const currency = oneOf([...CURRENCIES, ...options.currencies]);
  const requestRules: { [T in RequestType]: Readonly<Record<(typeof FIELDS)[T][number], Rule>> } = {
    CreateQuote: {
      direction: oneOf(DIRECTIONS),
      purpose: oneOf([...PURPOSES, ...options.purposes]),
      quotedAmount: amount,
      baseCurrencyIso: currency,
      quotedCurrencyIso: currency,
    },
    AcceptQuote: { quoteId, counterpartyId: id, amount: optionalAmount, externalId: optionalText },
  };

  const check = (candidate: Candidate): Checked => {
    const { values, type, request } = candidate;
    const problem =
      candidate.problem ??
      brokenRule(values, "", commandRules) ??
      (type === null ? "request is of an unknown type" : brokenRule(request, "request.", requestRules[type]));
    if (problem !== null)
      return { ok: false, code: "INVALID_COMMAND", message: problem, ...identityOf(candidate) };
    // Every field has passed its rule, and the rules are those of the type.
    const command = { ...Object.fromEntries(values), request: { type, ...Object.fromEntries(request) } };
    return { ok: true, command: command as Command };
  };

  return {
    record: (record) => check(fromRecord(record)),
    json: (bytes, timestampMs) => {
      const text = utf8(bytes);
      if (text === null) return unreadable("the value is not valid UTF-8", bytes.toString("latin1"));
      const value = parsed(text);
      if (typeof value !== "object" || value === null || Array.isArray(value))
        return unreadable("the value is not a JSON object", text);
      return check(fromJson(text, timestampMs));
    },
  };
};
