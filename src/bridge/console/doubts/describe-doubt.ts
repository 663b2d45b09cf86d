import { resolvableAtMs } from "../../../commands-to-results/journal-rules/resolve.ts";
import type { Doubt, Place } from "../../../console/ports.ts";
import type { CommandResult } from "../../../records.ts";
import type { InDoubt } from "./doubt-fold.ts";
import type { Facts } from "./key-history.ts";

/** Bounds the partner's texts: there may be many doubts. */
const MAX_TEXT = 300;

const short = (text: string): string => text.slice(0, MAX_TEXT);

export const factsOf = ({ quoteId, attempts, httpStatus, error, response }: CommandResult): Facts => ({
  quoteId,
  attempts,
  httpStatus,
  error: error && { code: short(error.code), message: short(error.message) },
  response: response === null ? null : short(response),
});

/** A doubt for the pages, with all that the journal holds about it. */
export const describeDoubt = (topic: string, { standing, partition, operation, key }: InDoubt): Doubt => {
  const { doubt, claim } = standing;
  const placeOf = (offset: number): Place => ({ topic, partition, offset });
  const { facts } = doubt;
  const claimed = claim?.entry.step.kind === "claimed" ? claim.entry.step : null;
  const spelled = claimed?.quoteId ?? facts?.quoteId ?? null;
  return {
    commandId: doubt.entry.commandId,
    operation,
    quoteId: spelled ?? (operation === "ACCEPT_QUOTE" ? key : null),
    claim:
      claim && claimed
        ? { atMs: claim.timestampMs, place: placeOf(claim.offset), callWithinMs: claimed.callWithinMs }
        : null,
    atMs: doubt.timestampMs,
    place: placeOf(doubt.offset),
    attempts: facts?.attempts ?? (claimed ? claimed.attempts + 1 : 0),
    httpStatus: facts?.httpStatus ?? null,
    error: facts?.error ?? null,
    response: facts?.response ?? null,
    resolvableAtMs:
      claim && claimed
        ? resolvableAtMs({ timestampMs: claim.timestampMs, callWithinMs: claimed.callWithinMs })
        : null,
  };
};
