import { describe, expect, it } from "vitest";
import {
  journalRef,
  refByCommandId,
  requestHash,
  toPartnerRequest,
} from "../../../src/commands-to-results/translate.ts";
import { partnerApiValidators, readPartnerApi } from "../../sandbox/partner-api.ts";
import { acceptRequest, command, createRequest, NOW } from "./commands.ts";

const UUID = "3F2504E0-4F89-11D3-9A0C-0305E82C3301";

describe("toPartnerRequest", () => {
  it("sends an amount as a number with the command's digits", () => {
    for (const amount of ["1234567890.10", "0.1", "123456789012345678901234567890.123456789"]) {
      expect(toPartnerRequest(command(acceptRequest({ amount }))).body).toBe(
        `{"counterpartyId":"cp-1","amount":${amount}}`,
      );
    }
  });

  it("leaves out what the command does not hold", () => {
    expect(toPartnerRequest(command(acceptRequest())).body).toBe('{"counterpartyId":"cp-1"}');
  });

  it("escapes text", () => {
    const body = toPartnerRequest(
      command(acceptRequest({ counterpartyId: 'a"},{\n', externalId: "\u2028é", amount: "1" })),
    ).body;
    expect(JSON.parse(body)).toEqual({ counterpartyId: 'a"},{\n', amount: 1, externalId: "\u2028é" });
  });

  it.each([
    ["q-1", "q-1"],
    ["a/b?c#d%2e", "a%2Fb%3Fc%23d%252e"],
    ["é +", "%C3%A9%20%2B"],
    [UUID, UUID],
  ])("puts quoteId %s into one segment", (quoteId, segment) => {
    const request = toPartnerRequest(command(acceptRequest({ quoteId })));
    expect(request).toMatchObject({
      operation: "ACCEPT_QUOTE",
      method: "PUT",
      path: `/corporate/v1/quote/${segment}/accept`,
      ids: { quoteId, counterpartyId: "cp-1", externalId: null },
    });
    expect(decodeURIComponent(request.path.split("/")[4]!)).toBe(quoteId);
  });

  it("sends quotedAmount as a string", () => {
    expect(toPartnerRequest(command(createRequest))).toEqual({
      operation: "CREATE_QUOTE",
      method: "POST",
      path: "/corporate/v1/quote",
      body: '{"direction":"OUTBOUND","purpose":"COMEX","quotedAmount":"1000.50","baseCurrencyIso":"USD","quotedCurrencyIso":"BRL"}',
      ids: {},
    });
  });
});

describe("the partner's API", () => {
  const schemaOf = partnerApiValidators();
  const all = acceptRequest({ quoteId: "q 1/ü", amount: "1234567890.10", externalId: "mine" });
  it.each([
    ["CreateQuote", "/corporate/v1/quote", createRequest],
    ["AcceptQuote", "/corporate/v1/quote/{quoteId}/accept", all],
    ["AcceptQuote", "/corporate/v1/quote/{quoteId}/accept", acceptRequest()],
  ])("describes what is sent: %s", (schema, path, request) => {
    const sent = toPartnerRequest(command(request));
    const validate = schemaOf(schema);
    expect(validate(JSON.parse(sent.body)), JSON.stringify(validate.errors)).toBe(true);
    expect(sent.path).toMatch(new RegExp(`^${path.replace("{quoteId}", "[^/]+")}$`));
    expect(readPartnerApi()["paths"]).toHaveProperty([path, sent.method.toLowerCase()]);
  });
});

it("puts an accept under its quote, in one spelling, and all else under the commandId", () => {
  const key = UUID.toLowerCase();
  expect(journalRef(command(acceptRequest({ quoteId: UUID })))).toEqual({
    operation: "ACCEPT_QUOTE",
    key,
    commandId: "c-1",
  });
  expect(journalRef(command(createRequest))).toEqual(refByCommandId("c-1"));
});

describe("requestHash", () => {
  const hash = requestHash(command(acceptRequest({ quoteId: UUID, amount: "1.0" })));

  it("is the same for a command that is sent again", () => {
    const again = command(acceptRequest({ quoteId: UUID.toLowerCase(), amount: "1.0" }), {
      issuedAt: NOW + 5,
      expiresAt: NOW + 9,
    });
    expect(requestHash(again)).toBe(hash);
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
  });

  it("differs in every field of the request", () => {
    const hashes = [
      hash,
      requestHash(command(acceptRequest({ quoteId: UUID, amount: "1.00" }))),
      requestHash(command(acceptRequest({ quoteId: UUID, amount: null }))),
      requestHash(command(acceptRequest({ quoteId: "q", amount: "1.0" }))),
      requestHash(command(acceptRequest({ quoteId: UUID, amount: "1.0", counterpartyId: "x" }))),
      requestHash(command(acceptRequest({ quoteId: UUID, amount: "1.0", externalId: "x" }))),
      requestHash(command(createRequest)),
      ...["direction", "purpose", "quotedAmount", "baseCurrencyIso", "quotedCurrencyIso"].map((field) =>
        requestHash(command({ ...createRequest, [field]: "x" })),
      ),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
  });
});
