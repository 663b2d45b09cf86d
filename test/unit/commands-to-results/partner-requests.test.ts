import { expect, it } from "vitest";
import { toPartnerRequest } from "../../../src/commands-to-results/translate.ts";
import type { Request } from "../../../src/commands-to-results/types.ts";
import { partnerApiValidators, readPartnerApi } from "../sandbox/partner-api.ts";

const schemaOf = partnerApiValidators();

const requests: { name: string; schema: string; path: string; method: string; request: Request }[] = [
  {
    name: "a create",
    schema: "CreateQuote",
    path: "/corporate/v1/quote",
    method: "post",
    request: {
      type: "CreateQuote",
      direction: "OUTBOUND",
      purpose: "COMEX",
      quotedAmount: "1234567890.10",
      baseCurrencyIso: "USD",
      quotedCurrencyIso: "BRL",
    },
  },
  {
    name: "an accept with everything",
    schema: "AcceptQuote",
    path: "/corporate/v1/quote/{quoteId}/accept",
    method: "put",
    request: {
      type: "AcceptQuote",
      quoteId: "q 1/ü",
      counterpartyId: "cp-1",
      amount: "1234567890.10",
      externalId: "mine",
    },
  },
  {
    name: "an accept with what it must have",
    schema: "AcceptQuote",
    path: "/corporate/v1/quote/{quoteId}/accept",
    method: "put",
    request: { type: "AcceptQuote", quoteId: "q-1", counterpartyId: "cp-1", amount: null, externalId: null },
  },
];

it.each(requests)("sends $name as the partner's API describes it", ({ schema, path, method, request }) => {
  const sent = toPartnerRequest({ commandId: "c-1", issuedAt: 0, expiresAt: null, request });
  const validate = schemaOf(schema);
  expect(validate(JSON.parse(sent.body)), JSON.stringify(validate.errors)).toBe(true);
  expect(sent.method.toLowerCase()).toBe(method);
  const pattern = new RegExp(`^${path.replace("{quoteId}", "[^/]+")}$`);
  expect(sent.path).toMatch(pattern);
  expect(readPartnerApi()["paths"]).toHaveProperty([path, method]);
});

it("notices a request that the description does not allow", () => {
  expect(schemaOf("AcceptQuote")({ amount: "12" })).toBe(false);
});
