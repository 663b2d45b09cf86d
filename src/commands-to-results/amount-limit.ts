import { MAX_AMOUNT_LENGTH } from "./field-rules.ts";
import type { Request } from "./types.ts";

/** The largest amount by ISO code of its currency; `*` is for any other one. */
export type AmountLimits = ReadonlyMap<string, string>;

/** A whole number that stands for a decimal number exactly: money never passes through a float. */
const exact = (amount: string): bigint => {
  const [whole = "", fraction = ""] = amount.split(".");
  return BigInt(whole + fraction.padEnd(MAX_AMOUNT_LENGTH, "0"));
};

const isAbove = (amount: string, limit: string): boolean => exact(amount) > exact(limit);

const smallestOf = (limits: readonly string[]): string | undefined =>
  limits.toSorted((a, b) => (isAbove(a, b) ? 1 : -1))[0];

/**
 * Nobody says in which currency the amount of a create is: the smaller limit counts. An accept names none: the smallest
 * of all counts. @returns which amount is above which limit, as a sentence; null when none is
 */
export const amountLimit = (limits: AmountLimits): ((request: Request) => string | null) => {
  const smallest = smallestOf([...limits.values()]);
  const limitOf = (...currencies: string[]): string | undefined =>
    smallestOf(currencies.flatMap((currency) => limits.get(currency) ?? [])) ?? limits.get("*");
  return (request) => {
    const [name, amount, limit] =
      request.type === "AcceptQuote"
        ? ["amount", request.amount, smallest]
        : ["quotedAmount", request.quotedAmount, limitOf(request.baseCurrencyIso, request.quotedCurrencyIso)];
    if (amount === null || limit === undefined || !isAbove(amount, limit)) return null;
    return `${name} is above ${limit}, the limit of COMMANDS_MAX_AMOUNT`;
  };
};
