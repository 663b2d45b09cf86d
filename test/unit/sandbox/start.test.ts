import { afterEach, expect, test } from "vitest";
import type { SandboxOptions } from "../../../src/sandbox/options.ts";
import { startSandbox } from "../../../src/sandbox/start.ts";
import { clientOf } from "./client.ts";
import { startReceiver, until } from "./receiver.ts";

const opened: { close: () => Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

const sandbox = async (options: SandboxOptions = {}) => {
  const started = await startSandbox(options);
  opened.push(started);
  return clientOf(started.url);
};
const receiver = async (answer?: (nth: number) => number) => {
  const started = await startReceiver(answer);
  opened.push(started);
  return started;
};

const outboundMain = [
  "AWAITING_PAYMENT",
  "PAYMENT_CONFIRMED",
  "SETTLEMENT_IN_PROGRESS",
  "CONTRACT_IN_PROGRESS",
  "REGISTERED_TRANSACTION",
  "TRANSACTION_COMPLETED",
];

test("an accepted quote becomes a transaction whose every status is notified with the three known fields", async () => {
  const hook = await receiver();
  const client = await sandbox({ timeScale: 60_000 });
  await client.subscribe(`${hook.url}/hook/secret`);
  const quoteId = await client.createdId();
  const accepted = await client.accept(quoteId);
  expect(accepted.status).toBe(200);
  await until(() => hook.received.length === 6, "six notifications");
  const payloads = hook.received.map(({ body }) => JSON.parse(body) as Record<string, string>);
  expect(payloads.map(({ status }) => status)).toEqual(outboundMain);
  for (const payload of payloads)
    expect(Object.keys(payload).sort()).toEqual(["createdAt", "status", "transactionId"]);
  expect(hook.received.every(({ path }) => path === "/hook/secret")).toBe(true);
  const { transactionId } = accepted.json as { transactionId: string };
  expect(payloads.every((payload) => payload["transactionId"] === transactionId)).toBe(true);
});

test("a notification is tried five times, no more, and the log tells", async () => {
  const hook = await receiver(() => 500);
  const client = await sandbox({ timeScale: 90_000, walk: "still", webhookUrls: [hook.url] });
  await client.accept(await client.createdId());
  const failed = async () =>
    (await client.control<{ totals: { failed: number } }>("GET", "state")).totals.failed;
  await until(async () => (await failed()) === 1, "the delivery to fail for good");
  expect(hook.received).toHaveLength(5);
  expect((await client.logs()).json).toMatchObject([
    { status: "AWAITING_PAYMENT", attempts: 5, delivered: false },
  ]);
});

test("an accept is executed once, and the second one is a conflict that is counted", async () => {
  const client = await sandbox();
  const quoteId = await client.createdId();
  expect((await client.accept(quoteId)).status).toBe(200);
  expect((await client.accept(quoteId)).status).toBe(409);
  expect(await client.control("GET", "executions")).toMatchObject({
    executions: 1,
    quotes: 1,
    executedTwice: [],
    repetitions: 1,
  });
});
