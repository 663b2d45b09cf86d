import { hash } from "node:crypto";
import type { PartnerRequest } from "../partner/types.ts";
import type { Command, Request } from "./types.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** What all spellings of one quote have in common. A UUID names the same quote in either case. */
export const sameQuote = (quoteId: string): string => (UUID.test(quoteId) ? quoteId.toLowerCase() : quoteId);

/** The amount becomes a JSON number with the very digits of the command, which a JavaScript number might not keep. */
const acceptBody = ({ counterpartyId, amount, externalId }: Request & { type: "AcceptQuote" }): string => {
  const fields = [`"counterpartyId":${JSON.stringify(counterpartyId)}`];
  if (amount !== null) fields.push(`"amount":${amount}`);
  if (externalId !== null) fields.push(`"externalId":${JSON.stringify(externalId)}`);
  return `{${fields.join(",")}}`;
};

/** The call that executes a command. Pure. */
export const toPartnerRequest = ({ request }: Command): PartnerRequest => {
  if (request.type === "CreateQuote") {
    const { direction, purpose, quotedAmount, baseCurrencyIso, quotedCurrencyIso } = request;
    const body = { direction, purpose, quotedAmount, baseCurrencyIso, quotedCurrencyIso };
    return {
      operation: "CREATE_QUOTE",
      method: "POST",
      path: "/corporate/v1/quote",
      body: JSON.stringify(body),
    };
  }
  return {
    operation: "ACCEPT_QUOTE",
    method: "PUT",
    path: `/corporate/v1/quote/${encodeURIComponent(request.quoteId)}/accept`,
    body: acceptBody(request),
  };
};

/** What the journal keeps a command's claim under: its quote, of which one accept at most may be sent, or itself. */
export const journalKey = ({ commandId, request }: Command): string =>
  request.type === "AcceptQuote" ? sameQuote(request.quoteId) : commandId;

/**
 * Tells a command that is sent again from another one under the same commandId: SHA-256, in hex, of what is asked of the partner.
 * issuedAt and expiresAt are left out: both differ when a caller sends the same command again, and neither changes what is executed.
 */
export const requestHash = ({ request }: Command): string => {
  const content =
    request.type === "AcceptQuote"
      ? [sameQuote(request.quoteId), request.counterpartyId, request.amount, request.externalId]
      : [
          request.direction,
          request.purpose,
          request.quotedAmount,
          request.baseCurrencyIso,
          request.quotedCurrencyIso,
        ];
  return hash("sha256", JSON.stringify([request.type, ...content]), "hex");
};
