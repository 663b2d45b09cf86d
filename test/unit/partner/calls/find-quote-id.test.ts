import { describe, expect, it } from "vitest";
import {
  bareQuoteId,
  findQuoteId,
  findTransactionId,
  quoteIdOfLocation,
} from "../../../../src/partner/calls/find-quote-id.ts";

describe("findQuoteId", () => {
  it.each([
    ['{"quoteId":"q-1"}', "q-1"],
    ['{"quote_id":"q-1","id":"other"}', "q-1"],
    ['{"id":"q-1","status":"created"}', "q-1"],
    ['{"data":{"quote":{"id":"q-1"}},"id":"request-9"}', "q-1"],
    ['{"result":{"data":{"id":"q-1"}}}', "q-1"],
    ['{"quote":{"id":"q-1","counterparty":{"id":"cp"}}}', "q-1"],
    ['{"quotation":{"uuid":"q-1"}}', "q-1"],
    ['[{"quoteId":"q-1"}]', "q-1"],
    ['{"quoteId":12345678901234567890}', "12345678901234567890"],
    ['{"id":7}', "7"],
    ['{"quoteId":"q-1","links":{"accept":{"quoteId":"q-1"}}}', "q-1"],
  ])("%s holds %s", (body, id) => expect(findQuoteId(body, undefined)).toBe(id));

  it.each([
    '{"quoteId":"q-1","former":{"quoteId":"q-2"}}',
    '{"id":"a","data":{"id":"b"}}',
    '{"quoteId":"a","quoteId":"b"}',
    '[{"quoteId":"a"},{"quoteId":"b"}]',
    '{"customer":{"id":"c-1"}}',
    '{"quoteId":""}',
    '{"quoteId":{"value":"q"}}',
    '{"quoteId":true}',
    '{"quoteId":"q\uFFFD"}',
    "[]",
    '"q-1"',
    "",
    "not json",
    '{"quoteId":"q-1"',
  ])("takes nothing from %s", (body) => expect(findQuoteId(body, undefined)).toBeNull());

  it("follows a pointer, and nothing else", () => {
    const body = '{"quoteId":"no","a/b":{"~":[{"x":"no"},{"x":10.50}]},"list":["q-1"]}';
    expect(findQuoteId(body, "/a~1b/~0/1/x")).toBe("10.50");
    expect(findQuoteId(body, "/list/0")).toBe("q-1");
    for (const wrong of ["/nothing", "/list/1", "/list/00", "/list", "/a~1b", "", "/quoteId/x"])
      expect(findQuoteId(body, wrong)).toBeNull();
    expect(findQuoteId('{"a":"x","a":"y"}', "/a")).toBeNull();
  });

  it("survives depth", () => {
    expect(findQuoteId('{"data":'.repeat(5000) + '{"id":"x"}' + "}".repeat(5000), undefined)).toBeNull();
  });
});

describe("bareQuoteId", () => {
  it.each([
    ["q-1", "q-1"],
    ['"q-1"', "q-1"],
    ["12345678901234567890", "12345678901234567890"],
    ["7", "7"],
    ["3F2504E0-4F89-11D3-9A0C-0305E82C3301", "3F2504E0-4F89-11D3-9A0C-0305E82C3301"],
    ['"01ARZ3NDEKTSV4RRFFQ69G5FAV"', "01ARZ3NDEKTSV4RRFFQ69G5FAV"],
  ])("%s is %s", (text, id) => expect(bareQuoteId(text)).toBe(id));

  it.each([
    ...["", '""', "OK", '"created"', "true", "null", "0", "1", "200", "Quote 17 created"],
    ...["<html>17</html>", "{17", "[17]", '"q-1', "https://partner.example/17", "q1\uFFFD"],
    `q${"1".repeat(128)}`,
  ])("%j may be anything else", (text) => expect(bareQuoteId(text)).toBeNull());
});

describe("quoteIdOfLocation", () => {
  const PATH = "/corporate/v1/quote";

  it.each([
    ["/corporate/v1/quote/q-1", "q-1"],
    ["https://partner.example/corporate/v1/quote/q-1?expand=all#top", "q-1"],
    ["q-1/", "q-1"],
    ["quote/q%2F1", "q/1"],
    ["/v1/quotes/%C3%A9", "\u00e9"],
  ])("%s names %s", (location, id) => expect(quoteIdOfLocation(location, PATH)).toBe(id));

  it.each([
    "",
    "/",
    PATH,
    `https://partner.example${PATH}/`,
    "https://partner.example",
    "/q%FF",
    "http://",
    "/%20",
  ])("%s names none", (location) => expect(quoteIdOfLocation(location, PATH)).toBeNull());
});

describe("findTransactionId", () => {
  it.each([
    ['{"transactionId":"tx-1","id":"other"}', undefined, "tx-1"],
    ['{"data":[{"transaction_id":7}]}', undefined, "7"],
    ['{"transactionId":"tx-1","data":{"transactionId":"tx-1"}}', undefined, "tx-1"],
    ['{"contract":{"number":"tx-1"},"transactionId":"other"}', "/contract/number", "tx-1"],
  ])("%s with pointer %s holds %s", (body, pointer, id) => expect(findTransactionId(body, pointer)).toBe(id));

  it.each([
    ['{"transactionId":"a","former":{"transactionId":"b"}}', undefined],
    ['{"id":"tx-1","transaction":{"id":"tx-1"}}', undefined],
    ['{"transactionId":""}', undefined],
    ["transactionId", undefined],
    ['{"transactionId":"a"}', "/data/transactionId"],
  ])("%s with pointer %s holds none", (body, pointer) => expect(findTransactionId(body, pointer)).toBeNull());
});
