import { isDate } from "../runtime/calendar.ts";
import { choiceIn, fail, fieldsFrom, jsonFrom, type Fields } from "../runtime/wrong-input.ts";
import type { AcceptRequest, Direction, QuoteRequest } from "../types.ts";

export type LogFilter = { startDate: string | null; endtDate: string | null; eventType: string | null };

const directions = ["INBOUND", "OUTBOUND"] as const satisfies readonly Direction[];
const purposes = ["COMEX", "PAYMENT_PROCESSING", "CAPITAL_INCREASE", "CRYPTO"];
// BRL is not in the specification's list of currencies, but in its example of a request.
const currencies = ["USD", "EUR", "AUD", "CHF", "BRL"];
const printableAscii = /^[!-~]+$/;
const amountForm = /^\d+(\.\d+)?$/;

const text = (fields: Fields, name: string): string => {
  const value = fields[name];
  if (typeof value === "string" && value !== "") return value;
  return fail(`${name} must be a string that is not empty`);
};

/** Parsers for the four requests; each throws a WrongInput. */
export const read = {
  quote: (body: Buffer): QuoteRequest => {
    const known = ["direction", "purpose", "quotedAmount", "baseCurrencyIso", "quotedCurrencyIso"];
    const fields = fieldsFrom(jsonFrom(body), known);
    const quotedAmount = text(fields, "quotedAmount");
    if (!amountForm.test(quotedAmount) || Number(quotedAmount) === 0)
      fail("quotedAmount must be a string that holds an amount above zero");
    return {
      direction: choiceIn(fields, "direction", directions),
      purpose: choiceIn(fields, "purpose", purposes),
      quotedAmount,
      baseCurrencyIso: choiceIn(fields, "baseCurrencyIso", currencies),
      quotedCurrencyIso: choiceIn(fields, "quotedCurrencyIso", currencies),
    };
  },

  accept: (body: Buffer): AcceptRequest => {
    const fields = fieldsFrom(jsonFrom(body), ["counterpartyId", "amount", "externalId"]);
    const counterpartyId = text(fields, "counterpartyId");
    const { amount, externalId } = fields;
    if (amount !== undefined && !(typeof amount === "number" && amount > 0))
      fail("amount must be a number above zero, without quotes");
    if (externalId !== undefined && typeof externalId !== "string") fail("externalId must be a string");
    return {
      counterpartyId,
      ...(typeof amount === "number" && { amount }),
      ...(typeof externalId === "string" && { externalId }),
    };
  },

  subscription: (body: Buffer): { url: string; events: string[] } => {
    const fields = fieldsFrom(jsonFrom(body), ["url", "events"]);
    const url = text(fields, "url");
    if (!printableAscii.test(url)) fail("url must be percent-encoded ASCII");
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      fail("url must be an http or https URL");
    const { events } = fields;
    if (!Array.isArray(events) || events.length === 0)
      return fail("events must be an array that is not empty");
    const unknown: unknown = events.find((event) => event !== "TRANSACTION_STATUS_UPDATED");
    if (unknown !== undefined) fail("events may hold TRANSACTION_STATUS_UPDATED only");
    return { url, events: ["TRANSACTION_STATUS_UPDATED"] };
  },

  logFilter: (query: URLSearchParams): LogFilter => {
    fieldsFrom(Object.fromEntries(query), ["startDate", "endtDate", "eventType"]);
    for (const name of query.keys())
      if (query.getAll(name).length > 1) fail(`${name} is given more than once`);
    const date = (name: string): string | null => {
      const value = query.get(name);
      return value === null || isDate(value) ? value : fail(`${name} must be a date in the form YYYY-MM-DD`);
    };
    return { startDate: date("startDate"), endtDate: date("endtDate"), eventType: query.get("eventType") };
  },
};
