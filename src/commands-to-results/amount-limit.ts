import type { Request } from "./types.ts";

/**
 * The largest amount by ISO code of its currency; `*` is for any other one. Amounts are decimal numbers in plain
 * notation.
 */
export type AmountLimits = ReadonlyMap<string, string>;

/** Of an amount's digits: as many as a command may hold. */
const MAX_DIGITS = 128;

/** A whole number that stands for the amount exactly: money never passes through a float. */
const exact = (amount: string): bigint => {
  const [whole = "", fraction = ""] = amount.split(".");
  return BigInt(whole + fraction.padEnd(MAX_DIGITS, "0"));
};

const isAbove = (amount: string, limit: string): boolean => exact(amount) > exact(limit);

const smallestOf = (limits: AmountLimits): string | undefined =>
  [...limits.values()].reduce<string | undefined>(
    (least, limit) => (least === undefined || isAbove(least, limit) ? limit : least),
    undefined,
  );

/**
 * Judges the amounts of valid requests. An accept does not say in which currency its amount is: the smallest limit
 * counts. One without an amount is not judged.
 * @returns which amount is above which limit, as a sentence; null when none is
 */
export const amountLimit = (limits: AmountLimits): ((request: Request) => string | null) => {
  const smallest = smallestOf(limits);
  return (request) => {
    const [name, amount, limit] =
      request.type === "AcceptQuote"
        ? ["amount", request.amount, smallest]
        : ["quotedAmount", request.quotedAmount, limits.get(request.quotedCurrencyIso) ?? limits.get("*")];
    if (amount === null || limit === undefined || !isAbove(amount, limit)) return null;
    return `${name} is above ${limit}, the limit of COMMANDS_MAX_AMOUNT`;
  };
};
