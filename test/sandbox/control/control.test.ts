import { expect, test } from "vitest";
import { openSandbox } from "../open.ts";

test("the state can be narrowed to some of its parts and to the newest of each", async () => {
  const client = await openSandbox();
  for (let nth = 0; nth < 3; nth += 1) await client.createdId();
  const newest = await client.createdId();
  type State = { quotes: { quoteId: string }[] };
  expect(Object.keys(await client.control<State>("GET", "state")).sort()).toEqual(
    "deliveries faults lost quotes requests subscriptions totals transactions".split(" "),
  );
  const narrowed = await client.control<State>("GET", "state?only=quotes&limit=1");
  expect(Object.keys(narrowed)).toEqual(["quotes"]);
  expect(narrowed.quotes.map(({ quoteId }) => quoteId)).toEqual([newest]);
});

test("the executions of many quotes are told at once, in the order asked for", async () => {
  const client = await openSandbox({ repetition: "again" });
  const [once, never, twice] = [await client.createdId(), await client.createdId(), await client.createdId()];
  for (const quoteId of [once, twice, twice]) await client.accept(quoteId);
  const asked = [twice, never, once, "unheard-of", once.toUpperCase()];
  expect(await client.control("POST", "executions", asked)).toEqual({ executions: [2, 0, 1, 0, 1] });
});

test("transactions can be started without a quote, with any statuses", async () => {
  const client = await openSandbox({ timeScale: 1000 });
  const started = await client.control<{ transactionIds: string[] }>("POST", "transactions", {
    direction: "INBOUND",
    walk: "canceled",
    count: 3,
  });
  expect(started.transactionIds).toHaveLength(3);
  await client.control("POST", "transactions", { transactionId: "tx-9", statuses: ["NEVER_HEARD_OF"] });
  const { transactions } = await client.control<{ transactions: object[] }>("GET", "state?limit=1");
  expect(transactions).toMatchObject([{ quoteId: null, statuses: [{ status: "NEVER_HEARD_OF" }] }]);
});

test.each([
  [{ direction: "SIDEWAYS" }, "direction"],
  [{ walk: "moon" }, "walk"],
  [{ statuses: "A" }, "statuses"],
  [{ count: 0 }, "count"],
  [{ transactionId: "tx", count: 2 }, "count"],
  [{ steps: [] }, "steps"],
  [[], "JSON object"],
])("a transaction request such as %j is refused with a sentence", async (body, message) => {
  const client = await openSandbox();
  const answer = await client.send("POST", "/_sandbox/transactions", body);
  expect(answer.status).toBe(400);
  expect(answer.text).toContain(message);
});

test("reset forgets everything, rules and subscriptions too", async () => {
  const client = await openSandbox({ webhookUrls: ["http://127.0.0.1:9/"] });
  const quoteId = await client.createdId();
  await client.accept(quoteId);
  await client.control("POST", "faults", { kind: "hang" });
  await client.control("POST", "reset");
  const { totals, ...lists } = await client.control<Record<string, unknown[]>>(
    "GET",
    "state?only=quotes,transactions,subscriptions,deliveries,requests,faults,totals",
  );
  for (const list of Object.values(lists)) expect(list).toEqual([]);
  expect(totals).toMatchObject({ requests: 0, executions: 0, walking: 0, notifications: 0, pending: 0 });
  expect((await client.accept(quoteId)).status).toBe(404);
});

test("a body that is too large is refused without ending the sandbox", async () => {
  const client = await openSandbox();
  expect((await client.create({ quotedAmount: "1".repeat(2_000_000) })).status).toBe(413);
  expect((await client.create()).status).toBe(201);
});
