import { hash } from "node:crypto";
import type { PartnerRequest } from "../partner/types.ts";
import type { Ref } from "./accept-once/entry.ts";
import { FIELDS } from "./parse.ts";
import { quoteKey } from "./quote-key.ts";
import type { Command, Request } from "./types.ts";

/** The amount becomes a JSON number with exactly the command's digits; a JavaScript number might change them. */
const acceptBody = ({ counterpartyId, amount, externalId }: Request & { type: "AcceptQuote" }): string => {
  const fields = [`"counterpartyId":${JSON.stringify(counterpartyId)}`];
  if (amount !== null) fields.push(`"amount":${amount}`);
  if (externalId !== null) fields.push(`"externalId":${JSON.stringify(externalId)}`);
  return `{${fields.join(",")}}`;
};

export const toPartnerRequest = ({ request }: Command): PartnerRequest => {
  if (request.type === "CreateQuote") {
    const body = JSON.stringify(request, [...FIELDS.CreateQuote]);
    return { operation: "CREATE_QUOTE", method: "POST", path: "/corporate/v1/quote", body, ids: {} };
  }
  const { quoteId, counterpartyId, externalId } = request;
  return {
    operation: "ACCEPT_QUOTE",
    method: "PUT",
    path: `/corporate/v1/quote/${encodeURIComponent(quoteId)}/accept`,
    body: acceptBody(request),
    ids: { quoteId, counterpartyId, externalId },
  };
};

/** An accept is kept under its quote, of which one accept at most may be sent; a create under its commandId. */
export const journalRef = ({ commandId, request }: Command): Ref =>
  request.type === "AcceptQuote"
    ? { operation: "ACCEPT_QUOTE", key: quoteKey(request.quoteId), commandId }
    : refByCommandId(commandId);

/** An invalid command is kept under its commandId, whatever it asks for. */
export const refByCommandId = (commandId: string): Ref => {
  return { operation: "CREATE_QUOTE", key: commandId, commandId };
};

/** SHA-256 (hex) of what is asked of the partner, without issuedAt and expiresAt: a repetition may change both. */
export const requestHash = ({ request }: Pick<Command, "request">, ref?: Ref): string => {
  const { type } = request;
  const content =
    type === "AcceptQuote"
      ? [ref?.key ?? quoteKey(request.quoteId), request.counterpartyId, request.amount, request.externalId]
      : FIELDS.CreateQuote.map((field) => request[field]);
  return hash("sha256", JSON.stringify([type, ...content]), "hex");
};
