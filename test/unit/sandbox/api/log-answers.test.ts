import { expect, test } from "vitest";
import type { LogRules } from "../../../../src/sandbox/api/log/log-rules.ts";
import { manualClock } from "../manual-clock.ts";
import { openReceiver, openSandbox } from "../open.ts";
import { until } from "../receiver.ts";

const start = Date.parse("2026-11-22T12:00:00Z");
const createdAt = "2026-11-22T12:00:00.000Z";

/** One notification that was lost on the way, and that the log tells of as five failed attempts a quarter of an hour apart. */
const lost = async (log: Partial<LogRules>, count = 1) => {
  const clock = manualClock(start);
  const client = await openSandbox({ clock, log, jitter: 0, webhookUrls: ["http://127.0.0.1:9/"] });
  await client.control("POST", "faults", { operation: "notification", kind: "drop" });
  for (let nth = 1; nth <= count; nth += 1)
    await client.control("POST", "transactions", { transactionId: `tx-${nth}`, statuses: ["A"] });
  clock.advance(20 * 60_000);
  return client;
};

const change = { transactionId: "tx-1", status: "A", createdAt };

test.each<[Partial<LogRules>, unknown]>([
  [{}, [{ ...change, attempts: 2, delivered: false }]],
  [{ createdAt: "offset" }, [{ ...change, createdAt: "2026-11-22T09:00:00.000-03:00" }]],
  [{ notification: "object" }, [{ createdAt, notification: change }]],
  [
    { notification: "text", createdAt: "epoch-seconds" },
    [{ notification: '{"createdAt":1795348800,"status":"A","transactionId":"tx-1"}' }],
  ],
  [{ answers: "nested" }, { data: { notifications: [{ payload: change }] }, meta: { total: 1 } }],
  [{ answers: "nested", notification: "flat" }, { data: { notifications: [change] } }],
  [
    { answers: "snake" },
    { logs: [{ transaction_id: "tx-1", transaction_status: "A", created_at: createdAt, success: false }] },
  ],
  [{ answers: "snake", notification: "object" }, { logs: [{ notification: change, success: false }] }],
  [
    { per: "attempt" },
    [
      { ...change, attempt: 1, sentAt: createdAt, httpStatus: null },
      { ...change, attempt: 2, sentAt: "2026-11-22T12:15:00.000Z", httpStatus: null },
    ],
  ],
  [
    { per: "attempt", notification: "object" },
    [
      { createdAt, notification: change },
      { createdAt: "2026-11-22T12:15:00.000Z", notification: change },
    ],
  ],
  [{ per: "attempt", dated: "sending" }, [change, { ...change, createdAt: "2026-11-22T12:15:00.000Z" }]],
])("the answer by the rules %j", async (rules, expected) => {
  const client = await lost(rules);
  const { json, headers } = await client.logs();
  expect(json).toMatchObject(expected as object);
  expect(headers.get("content-length")).not.toBeNull();
});

test("the log's notification is the one that the webhook carried, whatever the profile of either", async () => {
  const hook = await openReceiver();
  const log = { answers: "snake", notification: "text" } as const;
  const client = await openSandbox({ answers: "numeric", log, webhookUrls: [hook.url] });
  await client.accept(await numericId(client));
  await until(() => hook.received.length > 0, "the webhook");
  const { logs } = (await client.logs()).json as { logs: { notification: string }[] };
  expect(logs[0]!.notification).toBe(hook.received[0]!.body);
});

const numericId = async (client: Awaited<ReturnType<typeof openSandbox>>) =>
  String(((await client.create()).json as { id: number }).id);

test("a log in CSV has a line for each entry; an empty log of the profile without bodies is a 204", async () => {
  expect((await (await lost({ answers: "text" }, 2)).logs()).text).toBe(
    "eventType;createdAt;status;transactionId\n" +
      `TRANSACTION_STATUS_UPDATED;${createdAt};A;tx-1\nTRANSACTION_STATUS_UPDATED;${createdAt};A;tx-2`,
  );
  expect(await (await lost({ answers: "empty" }, 0)).logs()).toMatchObject({ status: 204, text: "" });
  expect((await (await lost({}, 0)).logs()).text).toBe("[]");
});

test.each<[LogRules["hint"], object, object]>([
  ["next", { next: expect.stringContaining("page=2") as string }, { next: null }],
  ["has-more", { hasMore: true }, { hasMore: false }],
  ["total", { total: 3 }, { total: 3 }],
])("the hint %s says whether a limit cut the answer", async (hint, cut, whole) => {
  const client = await lost({ hint, limit: 2 }, 3);
  expect((await client.logs()).json).toEqual({
    entries: [{}, {}].map(() => expect.anything() as object),
    ...cut,
  });
  await client.control("PUT", "log", { limit: 3 });
  expect((await client.logs()).json).toMatchObject(whole);
});

test("a limit can cut without a word, or with a Link", async () => {
  const client = await lost({ limit: 2 }, 3);
  expect((await client.logs()).json).toHaveLength(2);
  await client.control("PUT", "log", { hint: "link" });
  expect((await client.logs()).headers.get("link")).toMatch(/rel="next"/);
  await client.control("PUT", "log", { limit: 0 });
  expect((await client.logs()).headers.get("link")).not.toMatch(/next/);
});

test("entries of another type stand between the others, whatever type was asked for, and total counts them", async () => {
  const client = await lost({ others: "mixed-in", hint: "total" }, 11);
  const { entries, total } = (await client.logs("?eventType=TRANSACTION_STATUS_UPDATED")).json as {
    entries: { eventType: string }[];
    total: number;
  };
  expect(entries.filter(({ eventType }) => eventType !== "TRANSACTION_STATUS_UPDATED")).toHaveLength(2);
  expect(total).toBe(13);
});

test.each([
  [{ zone: "moon" }, "zone must be one of sao-paulo, utc"],
  [{ limit: -1 }, "limit"],
  [{ ende: "exclusive" }, "ende"],
  [[], "JSON object"],
])("the rules %j are refused with a sentence, and change nothing", async (rules, message) => {
  const client = await openSandbox({ log: { end: "exclusive" } });
  const before = await client.control("GET", "log");
  const answer = await client.send("PUT", "/_sandbox/log", rules);
  expect(answer.status).toBe(400);
  expect(answer.text).toContain(message);
  expect(await client.control("GET", "log")).toEqual(before);
});

test("reset gives the log its first rules back", async () => {
  const client = await openSandbox({ log: { end: "exclusive" } });
  const before = await client.control("GET", "log");
  await client.control("PUT", "log", { end: "inclusive", limit: 3 });
  await client.control("POST", "reset");
  expect(await client.control("GET", "log")).toEqual(before);
});
