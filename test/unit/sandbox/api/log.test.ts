import { expect, test } from "vitest";
import type { LogRules } from "../../../../src/sandbox/api/log/log-rules.ts";
import type { SandboxOptions } from "../../../../src/sandbox/options.ts";
import type { Reply } from "../client.ts";
import { manualClock } from "../manual-clock.ts";
import { openReceiver, openSandbox } from "../open.ts";
import { until } from "../receiver.ts";

// 01:00 UTC on the 22nd is still the 21st in São Paulo.
const start = Date.parse("2026-11-22T01:00:00Z");
const hourMs = 3_600_000;

type Entry = { transactionId: string };
const idsIn = (reply: Reply) => (reply.json as Entry[]).map(({ transactionId }) => transactionId);

/** A log of three notifications, three hours apart, to a receiver that is not there. */
const scene = async (log: Partial<LogRules> = {}, options: SandboxOptions = {}) => {
  const clock = manualClock(start);
  const client = await openSandbox({ clock, log, webhookUrls: ["http://127.0.0.1:9/"], ...options });
  for (const transactionId of ["late-21", "early-22", "later-22"]) {
    await client.control("POST", "transactions", { transactionId, statuses: ["AWAITING_PAYMENT"] });
    clock.advance(3 * hourMs);
  }
  return { client, clock, ids: async (query = "") => idsIn(await client.logs(query)) };
};

test("the log is filtered by São Paulo's days, both included, and by event type", async () => {
  const { ids } = await scene();
  expect(await ids()).toEqual(["late-21", "early-22", "later-22"]);
  expect(await ids("?startDate=2026-11-22")).toEqual(["early-22", "later-22"]);
  expect(await ids("?endtDate=2026-11-21")).toEqual(["late-21"]);
  expect(await ids("?startDate=2026-11-21&endtDate=2026-11-22")).toHaveLength(3);
  expect(await ids("?eventType=TRANSACTION_STATUS_UPDATED")).toHaveLength(3);
  expect(await ids("?eventType=SOMETHING_ELSE")).toEqual([]);
});

test.each<[Partial<LogRules>, string, string[]]>([
  [{ zone: "utc" }, "?endtDate=2026-11-21", []],
  [{ zone: "utc" }, "?startDate=2026-11-22", ["late-21", "early-22", "later-22"]],
  [{ end: "exclusive" }, "?startDate=2026-11-21&endtDate=2026-11-22", ["late-21"]],
  [{ ignore: "dates" }, "?startDate=2026-12-01", ["late-21", "early-22", "later-22"]],
  [{ ignore: "event-type" }, "?eventType=OTHER", ["late-21", "early-22", "later-22"]],
  [{ ignore: "both" }, "?startDate=2026-12-01&eventType=OTHER", ["late-21", "early-22", "later-22"]],
  [{ order: "newest" }, "", ["later-22", "early-22", "late-21"]],
  [{ limit: 2 }, "", ["late-21", "early-22"]],
  [{ limit: 2, order: "newest" }, "?startDate=2026-11-22", ["later-22", "early-22"]],
])("with the rules %j, %j finds %j", async (rules, query, expected) => {
  const { client, ids } = await scene();
  await client.control("PUT", "log", rules);
  expect(await ids(query)).toEqual(expected);
});

test("a random order has every entry, and is not the usual one", async () => {
  const client = await openSandbox({ seed: "order", log: { order: "random" } });
  await client.control("POST", "log", { ...day, count: 100 });
  const shuffled = idsIn(await client.logs());
  await client.control("PUT", "log", { order: "oldest" });
  const sorted = idsIn(await client.logs());
  expect(shuffled).not.toEqual(sorted);
  expect(shuffled.sort()).toEqual(sorted.sort());
});

test("the dates may be compared with the time of sending", async () => {
  const hook = await openReceiver();
  const log = { by: "sending" } as const;
  const client = await openSandbox({ log, webhookUrls: [hook.url], startAt: start });
  await client.control("POST", "log", { ...day, count: 1 });
  await until(async () => {
    const { totals } = await client.control<{ totals: { delivered: number } }>("GET", "state?only=totals");
    return totals.delivered === 1;
  }, "the webhook");
  expect(idsIn(await client.logs("?startDate=2026-11-21"))).toHaveLength(1);
  await client.control("PUT", "log", { by: "change" });
  expect(idsIn(await client.logs("?startDate=2026-11-21"))).toEqual([]);
});

test.each<[LogRules["refuse"], string, number]>([
  ["future-end", "?startDate=2026-11-21&endtDate=2026-11-23", 400],
  ["future-end", "?startDate=2026-11-21&endtDate=2026-11-22", 200],
  ["future-end", "?startDate=2026-11-21", 200],
  ["one-date", "?startDate=2026-11-21", 400],
  ["one-date", "?endtDate=2026-11-21", 400],
  ["one-date", "?startDate=2026-11-21&endtDate=2026-11-23", 200],
  ["both", "?startDate=2026-11-21&endtDate=2026-11-23", 400],
  ["both", "?endtDate=2026-11-21", 400],
  ["both", "", 200],
])("where %s is refused, %j gets %i", async (refuse, query, status) => {
  const { client } = await scene({ refuse });
  expect((await client.logs(query)).status).toBe(status);
});

test("a late entry appears so long after its sending, by the partner's time", async () => {
  const { ids, clock } = await scene({ lateMs: 8 * hourMs }, { timeScale: 2 });
  // The last of the three was sent three hours ago, and appears four hours after that.
  expect(await ids()).toEqual(["late-21", "early-22"]);
  clock.advance(hourMs);
  expect(await ids()).toEqual(["late-21", "early-22", "later-22"]);
});

test("the oldest entries are forgotten, the others keep their order", async () => {
  const { ids } = await scene({}, { logEntries: 2 });
  expect(await ids()).toEqual(["early-22", "later-22"]);
});

test.each(["?startDate=22-11-2026", "?endtDate=2026-02-30", "?startDate=", "?endDate=2026-11-22"])(
  "the query %j is refused",
  async (query) => {
    const client = await openSandbox();
    expect((await client.logs(query)).status).toBe(400);
  },
);

const day = { from: "2026-11-20T03:00:00Z", to: "2026-11-21T03:00:00Z" };
