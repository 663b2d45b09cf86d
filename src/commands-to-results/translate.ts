import { hash } from "node:crypto";
import type { PartnerRequest } from "../partner/types.ts";
import type { Ref } from "./journal-rules/entry.ts";
import { quoteKey } from "./quote-key.ts";
import type { Command, Request } from "./types.ts";

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

/** Where a command stands in the journal: under its quote, of which one accept at most may be sent, or under its own id. */
export const journalRef = ({ commandId, request }: Command): Ref =>
  request.type === "AcceptQuote"
    ? { operation: "ACCEPT_QUOTE", key: quoteKey(request.quoteId), commandId }
    : { operation: "CREATE_QUOTE", key: commandId, commandId };

/** Where a command stands that is refused for what it says: under its own id, whatever it asks for. */
export const refusedRef = (commandId: string): Ref => ({
  operation: "CREATE_QUOTE",
  key: commandId,
  commandId,
});

/**
 * Tells a command that is sent again from another one under the same commandId: SHA-256, in hex, of what is asked of the partner.
 * issuedAt and expiresAt are left out: both differ when a caller sends the same command again, and neither changes what is executed.
 */
export const requestHash = ({ request }: Command): string => {
  const content =
    request.type === "AcceptQuote"
      ? [quoteKey(request.quoteId), request.counterpartyId, request.amount, request.externalId]
      : [
          request.direction,
          request.purpose,
          request.quotedAmount,
          request.baseCurrencyIso,
          request.quotedCurrencyIso,
        ];
  return hash("sha256", JSON.stringify([request.type, ...content]), "hex");
};
