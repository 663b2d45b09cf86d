import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, test } from "vitest";
import { aQuote } from "../client.ts";
import { openReceiver, openSandbox } from "../open.ts";
import { partnerApiPath, partnerApiValidators, readPartnerApi } from "../partner-api.ts";
import { eventually } from "../../../support/eventually.ts";

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

test.each(["plain", "nested", "attempts"] as const)(
  "notifications in the form %s keep the three fields that are known",
  async (answers) => {
    const hook = await openReceiver();
    const client = await openSandbox({ answers, walk: "still", webhookUrls: [hook.url] });
    await client.control("POST", "transactions", {});
    await eventually(() => hook.received.length === 1, "the notification");
    expectValid("TransactionStatusUpdated", JSON.parse(hook.received[0]!.body));
  },
);

// Each of these must be told the same by the file and by the sandbox, so that neither drifts from the other.
const quotes: [string, object][] = [
  ["a good one", aQuote],
  ["a whole amount", { ...aQuote, quotedAmount: "5" }],
  ["amount as a number", { ...aQuote, quotedAmount: 5 }],
  ["amount zero", { ...aQuote, quotedAmount: "0.0" }],
  ["unknown purpose", { ...aQuote, purpose: "GIFT" }],
  ["unknown currency", { ...aQuote, baseCurrencyIso: "JPY" }],
  ["unknown field", { ...aQuote, note: "" }],
  ["nothing", {}],
];
const accepts: [string, object][] = [
  ["the least", { counterpartyId: "c" }],
  ["all", { counterpartyId: "c", amount: 0.01, externalId: "" }],
  ["empty counterparty", { counterpartyId: "" }],
  ["amount as a string", { counterpartyId: "c", amount: "1" }],
  ["amount zero", { counterpartyId: "c", amount: 0 }],
  ["unknown field", { counterpartyId: "c", ammount: 1 }],
  ["nothing", {}],
];
const subscriptions: [string, object][] = [
  ["a good one", { url: "https://example.org/hook", events: ["TRANSACTION_STATUS_UPDATED"] }],
  ["no events", { url: "https://example.org/hook", events: [] }],
  ["an unknown event", { url: "https://example.org/hook", events: ["OTHER"] }],
  ["another scheme", { url: "ftp://example.org", events: ["TRANSACTION_STATUS_UPDATED"] }],
  ["a URL that is not encoded", { url: "https://Ï/", events: ["TRANSACTION_STATUS_UPDATED"] }],
];

test.each(quotes)("file and sandbox agree on a quote: %s", async (_, body) => {
  const client = await openSandbox();
  const { status } = await client.send("POST", "/corporate/v1/quote", body);
  expect(status < 300).toBe(schema("CreateQuote")(body));
});

test.each(accepts)("file and sandbox agree on an accept: %s", async (_, body) => {
  const client = await openSandbox();
  const { status } = await client.accept(await client.createdId(), body);
  expect(status < 300).toBe(schema("AcceptQuote")(body));
});

test.each(subscriptions)("file and sandbox agree on a subscription: %s", async (_, body) => {
  const client = await openSandbox();
  const { status } = await client.send("POST", "/corporate/v1/webhook/subscribe", body);
  expect(status < 300).toBe(schema("SubscribeWebhook")(body));
});
