import { describe, expect, it } from "vitest";
import type { Checked } from "../../../src/commands-to-results/check.ts";
import { checkFor } from "../../../src/commands-to-results/check.ts";
import type { Command as CommandRecord } from "../../../src/records.ts";
import { NOW } from "./commands.ts";

const check = checkFor({ purposes: ["TOURISM"], currencies: ["GBP"] });
const json = (text: string): Checked => check.json(Buffer.from(text), NOW);
const accept = { type: "AcceptQuote", quoteId: "q-1", counterpartyId: "cp-1" };
const create = {
  type: "CreateQuote",
  direction: "OUTBOUND",
  purpose: "COMEX",
  quotedAmount: "10",
  baseCurrencyIso: "USD",
  quotedCurrencyIso: "BRL",
};
const withRequest = (request: object): Checked => json(JSON.stringify({ commandId: "c-1", request }));
const refusal = (checked: Checked) => (checked.ok ? "accepted" : `${checked.code}: ${checked.message}`);

describe("commands in JSON", () => {
  it("reads the contract's example", () => {
    const request = { ...accept, amount: "1000.00" };
    const example = { commandId: "c-1", issuedAt: "2026-11-21T12:00:00Z", request };
    expect(json(JSON.stringify(example))).toEqual({
      ok: true,
      command: {
        commandId: "c-1",
        issuedAt: Date.parse("2026-11-21T12:00:00Z"),
        expiresAt: null,
        request: { ...accept, amount: "1000.00", externalId: null },
      },
      identity: { commandId: "c-1", operation: "ACCEPT_QUOTE", quoteId: "q-1", externalId: null },
    });
  });

  it.each(["AcceptQuote", "cambio.bridge.v1.AcceptQuote"])("reads a request wrapped as %s", (name) => {
    const { type, ...fields } = accept;
    const wrapped = withRequest({ [name]: fields });
    expect(wrapped).toEqual(withRequest({ type, ...fields }));
    expect(wrapped.ok).toBe(true);
  });

  it("reads what Avro's own JSON makes of optional fields, which it wraps in their type", () => {
    const { type, ...fields } = accept;
    const wrapped = { ...fields, amount: { string: "10.00" }, externalId: { string: "x-1" } };
    const request = { "cambio.bridge.v1.AcceptQuote": wrapped };
    const expiresAt = { long: NOW + 60_000 };
    expect(json(JSON.stringify({ commandId: "c-1", issuedAt: NOW, expiresAt, request }))).toMatchObject({
      ok: true,
      command: {
        expiresAt: expiresAt.long,
        request: { type, ...fields, amount: "10.00", externalId: "x-1" },
      },
    });
  });

  it.each([
    ...['"1","amount":"1"', '{"string":"1","string":"2"}', '{"long":1}', "{}"],
    ...['{"string":"1","x":"2"}', '{"string":{"string":"1"}}'],
  ])("nothing else is an amount: %s", (amount) => {
    const { type, ...fields } = { ...accept };
    const request = `{"type":"${type}",${JSON.stringify(fields).slice(1, -1)},"amount":${amount}}`;
    expect(refusal(json(`{"commandId":"c","request":${request}}`))).toMatch(/^INVALID_COMMAND: .*amount/);
  });

  it("a field that cannot be null is not wrapped", () => {
    expect(refusal(withRequest({ ...accept, quoteId: { string: "q-1" } }))).toMatch(/request.quoteId must/);
  });

  it("takes the record's time for a missing issuedAt, and milliseconds for instants", () => {
    expect(json(JSON.stringify({ commandId: "c", expiresAt: 5, request: accept }))).toMatchObject({
      command: { issuedAt: NOW, expiresAt: 5 },
    });
    expect(json(JSON.stringify({ commandId: "c", issuedAt: 0, request: accept }))).toMatchObject({
      command: { issuedAt: 0 },
    });
  });

  it.each([
    ...["2026-11-21T12:00:00", "2026-11-21", "2026-02-30T12:00:00Z", "2026-11-21T24:00:00Z", ""],
    ...["2026-11-21T12:00:00+0300", "2026-11-21 12:00:00Z", "Sat, 21 Nov 2026 12:00:00 GMT", "1763726400000"],
    ...[1.5, 2 ** 53 + 2, null, true, {}],
  ])("issuedAt %j is no instant", (issuedAt) => {
    const checked = json(JSON.stringify({ commandId: "c", issuedAt, request: accept }));
    expect(refusal(checked)).toMatch(/^INVALID_COMMAND: issuedAt must/);
  });

  it.each([
    ...["2026-11-21T09:00:00-03:00", "2026-11-21T12:00:00.000Z", "2026-11-21T12:00:00.000999999Z"],
    ...["2026-11-22T02:00:00+14:00", "2026-11-21t12:00:00z"],
  ])("issuedAt %j is an instant", (issuedAt) => {
    const checked = json(JSON.stringify({ commandId: "c", issuedAt, request: accept }));
    expect(checked).toMatchObject({ command: { issuedAt: Date.parse("2026-11-21T12:00:00Z") } });
  });

  const fields = '"quoteId":"q","counterpartyId":"p"';
  const typed = (more: string): string => `"request":{"type":"AcceptQuote",${fields},${more}}`;
  const wrapped = (more: string): string => `"request":{"AcceptQuote":{${fields},${more}}}`;
  it.each([
    [typed('"ammount":"1"'), "ammount"],
    [`"comandId":"d",${typed('"amount":"1"')}`, "comandId"],
    [wrapped('"type":"AcceptQuote"'), "type"],
    [`"__proto__":{},${typed('"amount":"1"')}`, "__proto__"],
    [typed('"__proto__":{"amount":"1"}'), "__proto__"],
    [typed('"direction":"INBOUND"'), "direction"],
    [typed('"quoteId":"r"'), "quoteId"],
    [typed('"quote\\u0049d":"q"'), "quoteId"],
    [typed('"type":"CreateQuote"'), "type"],
    [wrapped('"amount":"1","amount":"2"'), "amount"],
  ])("%s is refused for its field", (rest, field) => {
    const checked = json(`{"commandId":"c",${rest}}`);
    expect(refusal(checked)).toMatch(new RegExp(`^INVALID_COMMAND: .*"${field}"`));
    expect(checked).toMatchObject({ identity: { commandId: "c" } });
  });

  it("finds no identity in a repeated commandId", () => {
    expect(json('{"commandId":"a","commandId":"b","request":{}}')).toMatchObject({
      ok: false,
      identity: { commandId: "" },
    });
  });

  it.each([
    "{}",
    '{"commandId":"c"}',
    '{"commandId":"c","request":null}',
    '{"commandId":"c","request":[]}',
    '{"commandId":"c","request":{}}',
    '{"commandId":"c","request":{"type":"toString"}}',
    '{"commandId":"c","request":{"constructor":{}}}',
    '{"commandId":"c","request":{"AcceptQuote":{},"CreateQuote":{}}}',
    '{"commandId":"c","request":{"AcceptQuote":[]}}',
    '{"commandId":"c","request":{"other.AcceptQuote":{"quoteId":"q","counterpartyId":"p"}}}',
  ])("%s breaks a rule", (text) => expect(refusal(json(text))).toMatch(/^INVALID_COMMAND/));

  it.each([
    ["{", ""],
    ['{"commandId":"c-9","request":{"type":', "c-9"],
    ['{"request":{"commandId":"inner"', ""],
    ["", ""],
    ["[]", ""],
    ["{'a':1}", ""],
    ['\ufeff{"commandId":"c","request":{}}', ""],
  ])("%s cannot be read", (text, commandId) => {
    expect(json(text)).toMatchObject({
      code: "UNREADABLE_COMMAND",
      identity: { commandId, operation: "UNKNOWN" },
    });
  });

  it("does not read bytes that are not UTF-8", () => {
    const bytes = Buffer.from('{"commandId":"c-\xff","request":{}}', "latin1");
    expect(check.json(bytes, NOW)).toMatchObject({ code: "UNREADABLE_COMMAND" });
  });

  it("survives depth", () => {
    const deep = `{"commandId":"c","request":${"[".repeat(50_000)}${"]".repeat(50_000)}}`;
    expect(refusal(json(deep))).toMatch(/^INVALID_COMMAND: request must/);
  });
});

describe("rules", () => {
  const large = "123456789012345678901234567890.123456789";
  const amounts = ["0.01", "1234567890.10", "10", `0.${"0".repeat(29)}1`, large];
  const others = [..."0 0.00 -1 +1 1. .5 01 1e3 1,000 NaN Infinity １".split(" "), " 1", "1\n", ""];
  it.each([
    ...amounts.map((amount) => [amount, true] as const),
    ...[...others, "1".repeat(129)].map((amount) => [amount, false] as const),
  ])("amount %j is one: %s", (amount, valid) => {
    expect(withRequest({ ...accept, amount }).ok).toBe(valid);
    expect(withRequest({ ...create, quotedAmount: amount }).ok).toBe(valid);
  });

  it.each([1000, 10.5, true, {}, ["1"]])("amount %j is not a string", (amount) => {
    expect(refusal(withRequest({ ...accept, amount }))).toBe(
      "INVALID_COMMAND: request.amount must be a string with a decimal number",
    );
  });

  it.each(["q/1?#%2eé", "...", "%2e", "q%201", "./q/"])("quoteId %j is one", (quoteId) =>
    expect(withRequest({ ...accept, quoteId }).ok).toBe(true),
  );

  it.each([
    ...["", ".", "..", " q", "q\u00a0", "q\n", "a\u0000b", "a\u0085b", "q 1", "q\u30001", "q\t1", "a\ud800"],
    "q".repeat(1025),
  ])("quoteId %j is none", (quoteId) => expect(withRequest({ ...accept, quoteId }).ok).toBe(false));

  it.each([
    [{ ...create, direction: "outbound" }, "request.direction"],
    [{ ...create, direction: "toString" }, "request.direction"],
    [{ ...create, purpose: "GIFT" }, "request.purpose"],
    [{ ...create, baseCurrencyIso: "XXX" }, "request.baseCurrencyIso"],
    [{ ...create, quotedCurrencyIso: "usd" }, "request.quotedCurrencyIso"],
    [{ ...create, quotedCurrencyIso: undefined }, "request.quotedCurrencyIso"],
    [{ ...accept, counterpartyId: "" }, "request.counterpartyId"],
    [{ ...accept, externalId: 7 }, "request.externalId"],
  ])("%j is refused and named", (request, field) => {
    expect(refusal(withRequest(request))).toMatch(new RegExp(`^INVALID_COMMAND: ${field} must`));
  });

  it("extends the lists", () => {
    expect(withRequest({ ...create, purpose: "TOURISM", baseCurrencyIso: "GBP" }).ok).toBe(true);
  });

  it.each(["", "c\udfff", 7, null, "c".repeat(1025)])(
    "commandId %j is refused and not repeated",
    (commandId) => {
      const checked = json(JSON.stringify({ commandId, request: accept }));
      expect(refusal(checked)).toMatch(/^INVALID_COMMAND: commandId must/);
      expect(checked).toMatchObject({
        identity: { commandId: "", operation: "ACCEPT_QUOTE", quoteId: "q-1" },
      });
    },
  );
});

describe("commands in Avro", () => {
  const record = (over: Partial<CommandRecord>): CommandRecord => ({
    commandId: "c-1",
    issuedAt: NOW,
    expiresAt: null,
    request: {
      "cambio.bridge.v1.AcceptQuote": { quoteId: "q", counterpartyId: "p", amount: "1.10", externalId: "x" },
    },
    ...over,
  });

  it("reads a record", () => {
    expect(check.record(record({}))).toEqual({
      ok: true,
      command: {
        commandId: "c-1",
        issuedAt: NOW,
        expiresAt: null,
        request: { type: "AcceptQuote", quoteId: "q", counterpartyId: "p", amount: "1.10", externalId: "x" },
      },
      identity: { commandId: "c-1", operation: "ACCEPT_QUOTE", quoteId: "q", externalId: "x" },
    });
  });

  it("applies the same rules, and says whose command it was", () => {
    const { direction, quotedAmount, baseCurrencyIso, quotedCurrencyIso } = create;
    const request = { direction, purpose: "?", quotedAmount, baseCurrencyIso, quotedCurrencyIso };
    expect(check.record(record({ request: { "cambio.bridge.v1.CreateQuote": request } }))).toEqual({
      ok: false,
      code: "INVALID_COMMAND",
      message: "request.purpose must be one of COMEX, PAYMENT_PROCESSING, CAPITAL_INCREASE, CRYPTO, TOURISM",
      requestHash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      identity: { commandId: "c-1", operation: "CREATE_QUOTE", quoteId: null, externalId: null },
    });
    expect(check.record(record({ issuedAt: 9e15 })).ok).toBe(false);
    expect(check.record(record({ expiresAt: -9e15 })).ok).toBe(false);
  });
});
