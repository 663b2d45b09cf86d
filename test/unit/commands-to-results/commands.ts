import type { Command, Request } from "../../../src/commands-to-results/types.ts";

export const NOW = Date.parse("2026-11-21T15:00:00Z");

export const acceptRequest = (over: Partial<Request & { type: "AcceptQuote" }> = {}): Request => ({
  type: "AcceptQuote",
  quoteId: "q-1",
  counterpartyId: "cp-1",
  amount: null,
  externalId: null,
  ...over,
});

export const createRequest: Request = {
  type: "CreateQuote",
  direction: "OUTBOUND",
  purpose: "COMEX",
  quotedAmount: "1000.50",
  baseCurrencyIso: "USD",
  quotedCurrencyIso: "BRL",
};

export const command = (request: Request, over: Partial<Command> = {}): Command => ({
  commandId: "c-1",
  issuedAt: NOW,
  expiresAt: null,
  request,
  ...over,
});
