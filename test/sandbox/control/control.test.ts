import { expect, test } from "vitest";
import { openSandbox } from "../open.ts";

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
