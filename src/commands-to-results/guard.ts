import type { Guard, Verdict } from "./types.ts";

/** The partner settles a quote on the business day on which it was made; its days are those of this zone. */
const BUSINESS_ZONE = "America/Sao_Paulo";
/** Clocks may differ by so much before an instant in the future is taken for a mistake. */
const MAX_AHEAD_MS = 5 * 60_000;
/** Dates and changes of an offset fall on quarters of an hour everywhere, so a quarter has one date. */
const QUARTER_MS = 15 * 60_000;

/** The date at an instant; remembers the last two, so that most calls cost a comparison. */
const dateIn = (timeZone: string): ((ms: number) => string) => {
  const format = new Intl.DateTimeFormat("en-CA", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  });
  let latest = { quarter: Number.NaN, date: "" };
  let former = latest;
  return (ms) => {
    const quarter = Math.floor(ms / QUARTER_MS);
    if (quarter === latest.quarter) return latest.date;
    if (quarter === former.quarter) return former.date;
    former = latest;
    latest = { quarter, date: format.format(quarter * QUARTER_MS) };
    return latest.date;
  };
};

const rejection = (
  code: "COMMAND_EXPIRED" | "COMMAND_TOO_OLD" | "INVALID_COMMAND",
  message: string,
): Verdict => ({ outcome: "REJECTED", error: { code, message }, decidedBy: "BRIDGE", answer: null });

/**
 * What stands against executing a command at an instant, in the order that tells the caller most.
 * @param options.maxAgeMs how old a command may be, measured from its issuedAt
 */
export const guardFor = ({ maxAgeMs }: { maxAgeMs: number }): Guard => {
  const dateOf = dateIn(BUSINESS_ZONE);
  return ({ issuedAt, expiresAt, request }, nowMs) => {
    if (expiresAt !== null && nowMs > expiresAt) return rejection("COMMAND_EXPIRED", "expiresAt has passed");
    if (nowMs - issuedAt > maxAgeMs)
      return rejection("COMMAND_TOO_OLD", `issuedAt is more than ${Math.round(maxAgeMs / 1_000)} s ago`);
    if (request.type === "CreateQuote") return null;
    if (issuedAt - nowMs > MAX_AHEAD_MS)
      return rejection("INVALID_COMMAND", `issuedAt is more than ${MAX_AHEAD_MS / 1_000} s in the future`);
    if (dateOf(issuedAt) === dateOf(nowMs)) return null;
    return rejection(
      issuedAt > nowMs ? "INVALID_COMMAND" : "COMMAND_TOO_OLD",
      `issuedAt is not on today's date in ${BUSINESS_ZONE}`,
    );
  };
};
