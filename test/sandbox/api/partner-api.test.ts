import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, test } from "vitest";
import { aQuote } from "../client.ts";
import { openReceiver, openSandbox } from "../open.ts";
import { partnerApiPath, partnerApiValidators, readPartnerApi } from "../partner-api.ts";
import { eventually } from "../../support/eventually.ts";

const schema = partnerApiValidators();

const expectValid = (name: string, value: unknown) => {
  const validate = schema(name);
  expect(validate(value), `${name}: ${JSON.stringify(validate.errors)}`).toBe(true);
};

test("the file is a valid OpenAPI 3.1 document", async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(partnerApiPath);
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
  expect(validator.version).toBe("3.1");
});

test("every answer that the specification does not show is marked so", () => {
  type Response = { $ref?: string; "x-not-shown"?: string };
  const paths = readPartnerApi()["paths"] as Record<
    string,
    Record<string, { responses: Record<string, Response> }>
  >;
  const successes = Object.values(paths).flatMap((methods) =>
    Object.values(methods).map(({ responses }) => responses["2XX"]),
  );
  expect(successes).toHaveLength(4);
  for (const success of successes) expect(success?.["x-not-shown"]).toMatch(/\w/);
});

test("what the sandbox answers and sends by default is what the file says it chose", async () => {
  const hook = await openReceiver();
  const client = await openSandbox({ timeScale: 60_000 });
  expectValid("SandboxSubscription", (await client.subscribe(`${hook.url}/hook`)).json);
  const created = await client.create();
  expectValid("SandboxQuote", created.json);
  const { quoteId } = created.json as { quoteId: string };
  expectValid(
    "SandboxAccepted",
    (await client.accept(quoteId, { counterpartyId: "c", amount: 1.5, externalId: "e" })).json,
  );
  await eventually(() => hook.received.length >= 6, "the notifications");
  for (const { body } of hook.received) expectValid("TransactionStatusUpdated", JSON.parse(body));
  expectValid("SandboxLog", (await client.logs()).json);
  for (const refused of [
    await client.accept(quoteId),
    await client.accept("unknown"),
    await client.create({ purpose: "x" }),
  ])
    expectValid("SandboxRefusal", refused.json);
});

// Each of these must be told the same by the file and by the sandbox, so that neither drifts from the other.
const subscription = { url: "https://example.org/hook", events: ["TRANSACTION_STATUS_UPDATED"] };
test.each<[schema: "CreateQuote" | "AcceptQuote" | "SubscribeWebhook", what: string, body: object]>([
  ["CreateQuote", "a good one", aQuote],
  ["CreateQuote", "a whole amount", { ...aQuote, quotedAmount: "5" }],
  ["CreateQuote", "amount as a number", { ...aQuote, quotedAmount: 5 }],
  ["CreateQuote", "amount zero", { ...aQuote, quotedAmount: "0.0" }],
  ["CreateQuote", "unknown purpose", { ...aQuote, purpose: "GIFT" }],
  ["CreateQuote", "unknown currency", { ...aQuote, baseCurrencyIso: "JPY" }],
  ["CreateQuote", "unknown field", { ...aQuote, note: "" }],
  ["CreateQuote", "nothing", {}],
  ["AcceptQuote", "the least", { counterpartyId: "c" }],
  ["AcceptQuote", "all", { counterpartyId: "c", amount: 0.01, externalId: "" }],
  ["AcceptQuote", "empty counterparty", { counterpartyId: "" }],
  ["AcceptQuote", "amount as a string", { counterpartyId: "c", amount: "1" }],
  ["AcceptQuote", "amount zero", { counterpartyId: "c", amount: 0 }],
  ["AcceptQuote", "unknown field", { counterpartyId: "c", ammount: 1 }],
  ["AcceptQuote", "nothing", {}],
  ["SubscribeWebhook", "a good one", subscription],
  ["SubscribeWebhook", "no events", { ...subscription, events: [] }],
  ["SubscribeWebhook", "an unknown event", { ...subscription, events: ["OTHER"] }],
  ["SubscribeWebhook", "another scheme", { ...subscription, url: "ftp://example.org" }],
  ["SubscribeWebhook", "a URL that is not encoded", { ...subscription, url: "https://Ï/" }],
])("file and sandbox agree on %s: %s", async (name, _, body) => {
  const client = await openSandbox();
  const send = {
    CreateQuote: () => client.send("POST", "/corporate/v1/quote", body),
    AcceptQuote: async () => client.accept(await client.createdId(), body),
    SubscribeWebhook: () => client.send("POST", "/corporate/v1/webhook/subscribe", body),
  };
  const { status } = await send[name]();
  expect(status < 300).toBe(schema(name)(body));
});
