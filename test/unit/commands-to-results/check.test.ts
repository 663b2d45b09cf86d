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
    expect(
      json(
        '{"commandId":"c-1","issuedAt":"2026-11-21T12:00:00Z","request":{"type":"AcceptQuote","quoteId":"q-1","counterpartyId":"cp-1","amount":"1000.00"}}',
      ),
    ).toEqual({
      ok: true,
      command: {
        commandId: "c-1",
        issuedAt: Date.parse("2026-11-21T12:00:00Z"),
        expiresAt: null,
        request: { ...accept, amount: "1000.00", externalId: null },
      },
    });
  });

  it.each(["AcceptQuote", "cambio.bridge.v1.AcceptQuote"])("reads a request wrapped as %s", (name) => {
    const { type, ...fields } = accept;
    const wrapped = withRequest({ [name]: fields });
    expect(wrapped).toEqual(withRequest({ type, ...fields }));
    expect(wrapped.ok).toBe(true);
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
    ["2026-11-21T12:00:00", false],
    ["2026-11-21", false],
    ["2026-02-30T12:00:00Z", false],
    ["2026-11-21T24:00:00Z", false],
    ["2026-11-21T12:00:00+0300", false],
    ["2026-11-21 12:00:00Z", false],
    ["Sat, 21 Nov 2026 12:00:00 GMT", false],
    ["1763726400000", false],
    ["", false],
    ["2026-11-21T09:00:00-03:00", true],
    ["2026-11-21T12:00:00.000Z", true],
    ["2026-11-21T12:00:00.000999999Z", true],
    ["2026-11-22T02:00:00+14:00", true],
    ["2026-11-21t12:00:00z", true],
  ])("issuedAt %j is an instant: %s", (issuedAt, valid) => {
    const checked = json(JSON.stringify({ commandId: "c", issuedAt, request: accept }));
    if (valid) expect(checked).toMatchObject({ command: { issuedAt: Date.parse("2026-11-21T12:00:00Z") } });
    else expect(refusal(checked)).toMatch(/^INVALID_COMMAND: issuedAt must/);
  });

  it.each(["1.5", "9007199254740993", "1e400", "null", "true", "{}"])("issuedAt %s is refused", (raw) => {
    const text = `{"commandId":"c","issuedAt":${raw},"request":${JSON.stringify(accept)}}`;
    expect(refusal(json(text))).toMatch(/^INVALID_COMMAND: issuedAt must/);
  });

  it.each([
    [
      '{"commandId":"c","request":{"type":"AcceptQuote","quoteId":"q","counterpartyId":"p","ammount":"1"}}',
      "ammount",
    ],
    [
      '{"commandId":"c","comandId":"d","request":{"type":"AcceptQuote","quoteId":"q","counterpartyId":"p"}}',
      "comandId",
    ],
    [
      '{"commandId":"c","request":{"AcceptQuote":{"quoteId":"q","counterpartyId":"p","type":"AcceptQuote"}}}',
      "type",
    ],
    [
      '{"commandId":"c","__proto__":{},"request":{"type":"AcceptQuote","quoteId":"q","counterpartyId":"p"}}',
      "__proto__",
    ],
    [
      '{"commandId":"c","request":{"type":"AcceptQuote","quoteId":"q","counterpartyId":"p","__proto__":{"amount":"1"}}}',
      "__proto__",
    ],
    [
      '{"commandId":"c","request":{"type":"AcceptQuote","quoteId":"q","counterpartyId":"p","direction":"INBOUND"}}',
      "direction",
    ],
    [
      '{"commandId":"c","request":{"type":"AcceptQuote","quoteId":"q","quoteId":"r","counterpartyId":"p"}}',
      "quoteId",
    ],
    [
      '{"commandId":"c","request":{"type":"AcceptQuote","quoteId":"q","quote\\u0049d":"q","counterpartyId":"p"}}',
      "quoteId",
    ],
    [
      '{"commandId":"c","request":{"type":"AcceptQuote","type":"CreateQuote","quoteId":"q","counterpartyId":"p"}}',
      "type",
    ],
    [
      '{"commandId":"c","request":{"AcceptQuote":{"quoteId":"q","counterpartyId":"p","amount":"1","amount":"2"}}}',
      "amount",
    ],
  ])("%s is refused for its field", (text, field) => {
    const checked = json(text);
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
  it.each([
    ["0.01", true],
    ["1234567890.10", true],
    ["10", true],
    ["0.000000000000000000000000000001", true],
    ["123456789012345678901234567890.123456789", true],
    ["0", false],
    ["0.00", false],
    ["-1", false],
    ["+1", false],
    ["1.", false],
    [".5", false],
    ["01", false],
    ["1e3", false],
    ["1,000", false],
    [" 1", false],
    ["1\n", false],
    ["NaN", false],
    ["Infinity", false],
    ["", false],
    ["１", false],
    ["1".repeat(129), false],
  ])("amount %j is one: %s", (amount, valid) => {
    expect(withRequest({ ...accept, amount }).ok).toBe(valid);
    expect(withRequest({ ...create, quotedAmount: amount }).ok).toBe(valid);
  });

  it.each([1000, 10.5, true, {}, ["1"]])("amount %j is not a string", (amount) => {
    expect(refusal(withRequest({ ...accept, amount }))).toBe(
      "INVALID_COMMAND: request.amount must be a string with a decimal number",
    );
  });

  it.each([
    ["q/1?#%2eé", true],
    ["...", true],
    ["%2e", true],
    ["", false],
    [".", false],
    ["..", false],
    [" q", false],
    ["q\u00a0", false],
    ["q\n", false],
    ["a\u0000b", false],
    ["a\u0085b", false],
    ["q 1", false],
    ["q\u30001", false],
    ["q\t1", false],
    ["q%201", true],
    ["./q/", true],
    ["a\ud800", false],
    ["q".repeat(1025), false],
  ])("quoteId %j is one: %s", (quoteId, valid) => expect(withRequest({ ...accept, quoteId }).ok).toBe(valid));

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
