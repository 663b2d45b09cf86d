import { amountLimit, type AmountLimits } from "./amount-limit.ts";
import { dateIn, SAO_PAULO } from "../runtime/date-in.ts";
import { ownVerdict, type ErrorCode, type Guard } from "./types.ts";

/** Tolerated clock skew between the sender and this replica. */
const MAX_AHEAD_MS = 5 * 60_000;

const rejection = (code: ErrorCode, message: string) => ownVerdict("REJECTED", code, message);

/** Rejects a command that must not be executed now. The most telling reason is checked first. */
export const guardFor = ({ maxAgeMs, maxAmounts }: { maxAgeMs: number; maxAmounts: AmountLimits }): Guard => {
  const aboveLimit = amountLimit(maxAmounts);
  // A quote is valid on the business day in Sao Paulo on which it was made.
  const dateOf = dateIn(SAO_PAULO);
  return ({ issuedAt, expiresAt, request }, nowMs) => {
    if (expiresAt !== null && nowMs > expiresAt) return rejection("COMMAND_EXPIRED", "expiresAt has passed");
    if (nowMs - issuedAt > maxAgeMs)
      return rejection("COMMAND_TOO_OLD", `issuedAt is more than ${Math.round(maxAgeMs / 1_000)} s ago`);
    const excess = aboveLimit(request);
    if (excess !== null) return rejection("AMOUNT_ABOVE_LIMIT", excess);
    if (request.type === "CreateQuote") return null;
    if (issuedAt - nowMs > MAX_AHEAD_MS)
      return rejection("INVALID_COMMAND", `issuedAt is more than ${MAX_AHEAD_MS / 1_000} s in the future`);
    if (dateOf(issuedAt) === dateOf(nowMs)) return null;
    const code = issuedAt > nowMs ? "INVALID_COMMAND" : "COMMAND_TOO_OLD";
    return rejection(code, `issuedAt is not on today's date in ${SAO_PAULO}`);
  };
};
