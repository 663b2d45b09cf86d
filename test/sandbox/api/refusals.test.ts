import { expect, test } from "vitest";
import { aQuote } from "../client.ts";
import { openSandbox } from "../open.ts";

test.each([
  ["no Authorization", { authorization: undefined }, 401],
  ["another scheme", { authorization: "Basic YTpi" }, 401],
  ["another access token", { authorization: "Bearer other" }, 401],
  ["no x-token", { "x-token": undefined }, 401],
  ["another x-token", { "x-token": "other" }, 401],
  ["no Content-Type", { "content-type": "text/plain" }, 415],
  ["accept of anything", { accept: "*/*" }, 406],
  ["a User-Agent of a library", { "user-agent": "node-fetch/3.0" }, 400],
  ["a User-Agent without a service", { "user-agent": "acme" }, 400],
])("a request with %s is refused and nothing is made", async (_, over, status) => {
  const client = await openSandbox({ accessToken: "access", xToken: "x" });
  expect((await client.create()).status).toBe(201);
  expect((await client.send("POST", "/corporate/v1/quote", aQuote, over)).status).toBe(status);
  expect(await client.control("GET", "state?only=totals")).toMatchObject({ totals: { created: 1 } });
});

test("neither subscribe nor the log does without a proper token", async () => {
  const client = await openSandbox({ accessToken: "access", xToken: "x" });
  const over = { authorization: "Bearer other" };
  const body = { url: "http://127.0.0.1:9/", events: ["TRANSACTION_STATUS_UPDATED"] };
  expect((await client.send("POST", "/corporate/v1/webhook/subscribe", body, over)).status).toBe(401);
  expect((await client.send("GET", "/corporate/v1/webhook/logs", undefined, over)).status).toBe(401);
  expect(await client.control("GET", "state?only=subscriptions")).toEqual({ subscriptions: [] });
});

test.each(["{", "[]"])("the body %s is refused, and is no quote", async (body) => {
  const client = await openSandbox();
  expect((await client.send("POST", "/corporate/v1/quote", body)).status).toBe(400);
});

test.each([
  ["an amount as a string", { counterpartyId: "c", amount: "10.00" }, "amount"],
  ["an externalId as a number", { counterpartyId: "c", externalId: 1 }, "externalId"],
])(
  "an accept with %s is refused before anything is executed, and the field is named",
  async (_, body, field) => {
    const client = await openSandbox();
    const quoteId = await client.createdId();
    const refused = await client.accept(quoteId, body);
    expect(refused.status).toBe(400);
    expect(refused.text).toContain(field);
    expect(await client.control("GET", `executions/${quoteId}`)).toEqual({ quoteId, executions: 0 });
  },
);

test.each([
  "?startDate=2026-13-01",
  "?startDate=21/11/2026",
  "?endDate=2026-11-21",
  "?eventType=a&eventType=b",
])("the log refuses %s", async (query) => {
  const client = await openSandbox();
  expect((await client.logs(query)).status).toBe(400);
});

test("a path or a method that is not known is refused as such", async () => {
  const client = await openSandbox();
  expect((await client.send("GET", "/corporate/v2/quote")).status).toBe(404);
  const wrongMethod = await client.send("POST", "/corporate/v1/quote/q-1/accept", { counterpartyId: "c" });
  expect(wrongMethod.status).toBe(405);
  expect(wrongMethod.headers.get("allow")).toBe("PUT");
});
