import { expect, test } from "vitest";
import { openReceiver, openSandbox } from "./open.ts";
import { eventually } from "../support/eventually.ts";

type Payload = { createdAt: string; status: string; transactionId: string };

const LAST = ["CONTRACT_IN_PROGRESS", "REGISTERED_TRANSACTION", "TRANSACTION_COMPLETED"];
const walks = {
  OUTBOUND: ["AWAITING_PAYMENT", "PAYMENT_CONFIRMED", "SETTLEMENT_IN_PROGRESS", ...LAST],
  INBOUND: ["AWAITING_MONEY_ORDER", "TRANSACTION_IN_PROGRESS", ...LAST],
};

test.each(["OUTBOUND", "INBOUND"] as const)(
  "an accepted %s quote becomes a transaction that notifies each status of its main flow",
  async (direction) => {
    const hook = await openReceiver();
    const client = await openSandbox({ timeScale: 60_000 });
    await client.subscribe(`${hook.url}/hook/secret`);
    const { quoteId } = (await client.create({ direction })).json as { quoteId: string };
    const accepted = await client.accept(quoteId);
    expect(accepted.status).toBe(200);
    await eventually(() => hook.received.length >= walks[direction].length, "all notifications");
    // Notifications a few milliseconds apart may overtake one another on the way, so they are put in order first.
    const payloads = hook.received
      .map(({ body }) => JSON.parse(body) as Payload)
      .sort((a, b) => a.createdAt.localeCompare(b.createdAt));
    expect(payloads.map(({ status }) => status)).toEqual(walks[direction]);
    for (const payload of payloads)
      expect(Object.keys(payload).sort()).toEqual(["createdAt", "status", "transactionId"]);
    expect(new Set(payloads.map(({ transactionId }) => transactionId)).size).toBe(1);
    expect(accepted.json).toMatchObject({ transactionId: payloads[0]!.transactionId });
    expect(hook.received.every(({ path }) => path === "/hook/secret")).toBe(true);
  },
);

test("every subscribed URL is notified, and subscribing one again does not notify it twice", async () => {
  const hook = await openReceiver();
  const client = await openSandbox({ walk: "still" });
  const first = await client.subscribe(`${hook.url}/a`);
  await client.subscribe(`${hook.url}/b`);
  expect((await client.subscribe(`${hook.url}/a`)).json).toEqual(first.json);
  await client.accept(await client.createdId());
  await eventually(() => hook.received.length >= 2, "two notifications");
  expect(hook.received.map(({ path }) => path).sort()).toEqual(["/a", "/b"]);
  expect(await client.control("GET", "state?only=totals")).toMatchObject({
    totals: { notifications: 2, delivered: 2 },
  });
});

test("requests are remembered byte for byte, with their headers in order and case", async () => {
  const client = await openSandbox();
  const body = '{ "counterpartyId":"Zürich",\n"amount": 1234567890.10 }';
  await client.send("PUT", "/corporate/v1/quote/a%2Fb/accept", body);
  type Seen = {
    requests: { target: string; body: string; answered: number; headers: string[][] }[];
  };
  const [request] = (await client.control<Seen>("GET", "state?only=requests")).requests;
  expect(request).toMatchObject({ target: "/corporate/v1/quote/a%2Fb/accept", body, answered: 404 });
  expect(request!.headers).toContainEqual(["authorization", "Bearer access"]);
});
