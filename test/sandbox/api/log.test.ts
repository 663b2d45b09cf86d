import { expect, test } from "vitest";
import { manualClock } from "../manual-clock.ts";
import { openReceiver, openSandbox } from "../open.ts";
import { eventually } from "../../support/eventually.ts";

type Entry = Record<string, unknown>;

/** 23:30 on the 5th in São Paulo, the 6th in UTC. */
const EVENING = Date.parse("2026-01-06T02:30:00Z");

const withOne = async (options: Parameters<typeof openSandbox>[0] = {}) => {
  const hook = await openReceiver();
  const clock = manualClock(EVENING);
  const client = await openSandbox({ clock, webhookUrls: [hook.url], ...options });
  await client.control("POST", "transactions", { transactionId: "tx-1", statuses: ["CANCELED"] });
  clock.advance(1);
  await eventually(() => hook.received.length === 1, "the webhook");
  await eventually(
    async () =>
      (await client.control<{ totals: { delivered: number } }>("GET", "state")).totals.delivered === 1,
    "its end",
  );
  const shown = async (query: string, rules: object = {}): Promise<unknown> => {
    await client.control("PUT", "log", rules);
    return (await client.logs(query)).json;
  };
  return { client, clock, shown, body: JSON.parse(hook.received[0]!.body) as Entry };
};

test.each([
  ["", {}, 1],
  ["?startDate=2026-01-05&endtDate=2026-01-05", {}, 1],
  ["?startDate=2026-01-05&endtDate=2026-01-05", { zone: "utc" }, 0],
  ["?startDate=2026-01-06&endtDate=2026-01-06", {}, 0],
  ["?startDate=2026-01-05&endtDate=2026-01-05", { end: "exclusive" }, 0],
  ["?startDate=2026-01-04&endtDate=2026-01-06", { end: "exclusive" }, 1],
  ["?startDate=2025-01-01&endtDate=2025-01-02", { ignore: "dates" }, 1],
  ["?eventType=OTHER", {}, 0],
  ["?eventType=OTHER", { ignore: "event-type" }, 1],
  ["?eventType=TRANSACTION_STATUS_UPDATED", { lateMs: 60_000 }, 0],
])("%s under %j finds %i", async (query, rules, count) => {
  const { shown } = await withOne();
  expect(await shown(query, rules)).toHaveLength(count);
});

test.each(["plain", "nested", "attempts"] as const)(
  "the form %s holds what the webhook said",
  async (answers) => {
    const { shown, body } = await withOne({ answers });
    const log = (await shown("")) as Entry[] & { data: { notifications: Entry[] } } & {
      logs: { request: { body: string } }[];
    };
    if (answers === "plain") expect(log[0]).toMatchObject(body);
    else if (answers === "nested") expect(log.data.notifications[0]!["payload"]).toEqual(body);
    else {
      expect(log.logs[0]).toMatchObject({ attempt: 1, status: "DELIVERED", httpStatus: 200 });
      expect(JSON.parse(log.logs[0]!.request.body)).toEqual(body);
    }
  },
);

test("other events, the order, a limit and the hints of more", async () => {
  const client = await openSandbox();
  await client.control("POST", "log", {
    count: 10,
    from: "2026-01-05T12:00:00Z",
    to: "2026-01-05T13:00:00Z",
  });
  const log = async (rules: object) => {
    await client.control("PUT", "log", { hint: "none", limit: 0, order: "oldest", ...rules });
    return client.logs();
  };
  const all = (await log({})).json as Entry[];
  expect(all).toHaveLength(10);
  const newest = (await log({ order: "newest" })).json as Entry[];
  expect(newest).toEqual(all.toReversed());
  expect((await log({ limit: 3 })).json).toEqual(all.slice(0, 3));
  expect((await log({ limit: 3, hint: "next" })).json).toMatchObject({ next: expect.any(String) as string });
  expect((await log({ limit: 10, hint: "next" })).json).toMatchObject({ next: null });
  expect((await log({ limit: 3, hint: "has-more" })).json).toMatchObject({ hasMore: true });
  expect((await log({ limit: 3, hint: "total" })).json).toMatchObject({ total: 10 });
  expect((await log({ limit: 3, hint: "link" })).headers.get("link")).toMatch(/rel="next"/);
  const mixed = (await log({ others: "mixed-in" })).json as Entry[];
  expect(mixed.map(({ eventType }) => eventType).filter((type) => type === "QUOTATION_EXPIRED")).toHaveLength(
    2,
  );
});

test("a log of the past: what is lost is shown as failed, and listed", async () => {
  const hook = await openReceiver();
  const client = await openSandbox({ webhookUrls: [hook.url] });
  const past = { count: 60, from: "2026-01-05T12:00:00Z", to: "2026-01-05T13:00:00Z", lostShare: 0.5 };
  const made = await client.control<{ lost: number; toSend: number }>("POST", "log", past);
  expect(made.lost).toBeGreaterThan(5);
  expect(made.toSend).toBe(60 - made.lost);
  await eventually(() => hook.received.length === made.toSend, "the webhooks");
  const { lost } = await client.control<{ lost: { count: number } }>("GET", "state?only=lost");
  expect(lost.count).toBe(made.lost);
  const text = (await client.logs()).text;
  expect(new Set(text.match(/2026-01-05T\d\d:\d\d:\d\d\.\d+/g)).size).toBeGreaterThanOrEqual(60);
});
