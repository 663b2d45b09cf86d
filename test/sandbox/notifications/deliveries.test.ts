import { expect, test } from "vitest";
import { manualClock } from "../manual-clock.ts";
import { openReceiver, openSandbox } from "../open.ts";
import { eventually } from "../../support/eventually.ts";

const MINUTE_MS = 60_000;
type State = {
  totals: Record<string, number>;
  deliveries: { attempts: object[]; duplicate: boolean; state: string }[];
};

const open = async (answer: (nth: number) => number, fault?: object) => {
  const hook = await openReceiver(answer);
  const clock = manualClock(Date.parse("2026-01-05T12:00:00Z"));
  const client = await openSandbox({ clock, webhookUrls: [hook.url] });
  if (fault) await client.control("POST", "faults", { operation: "notification", ...fault });
  await client.control("POST", "transactions", { transactionId: "tx-1", statuses: ["CANCELED"] });
  const state = () => client.control<State>("GET", "state");
  const attempts = async (count: number) => {
    clock.advance(20 * MINUTE_MS);
    await eventually(async () => (await state()).totals["attempts"] === count, "attempts");
    await eventually(() => hook.received.length === count, "the posts");
    await eventually(
      async () => (await state()).deliveries.flatMap(({ attempts: made }) => made).length === count,
      "answers",
    );
  };
  return { hook, clock, client, state, attempts };
};

test("five attempts about a quarter of an hour apart, then it has failed", async () => {
  const { hook, clock, state, attempts } = await open(() => 500);
  for (let nth = 1; nth <= 5; nth++) await attempts(nth);
  expect((await state()).totals).toMatchObject({ failed: 1, pending: 0, attempts: 5 });
  clock.advance(60 * MINUTE_MS);
  expect(hook.received).toHaveLength(5);
  expect(new Set(hook.received.map(({ body }) => body)).size).toBe(1);
});

test("a later attempt that is answered with 2xx is the last one", async () => {
  const { state, attempts, client } = await open((nth) => (nth < 3 ? 503 : 204));
  for (let nth = 1; nth <= 3; nth++) await attempts(nth);
  expect((await state()).totals).toMatchObject({ delivered: 1, pending: 0 });
  expect((await client.logs()).json).toMatchObject([{ attempts: 3, delivered: true }]);
});

test.each([
  ["failed", { attempts: 1, delivered: false }],
  ["delivered", { attempts: 1, delivered: false }],
])("a dropped one is never sent; the log shows it as %s", async (logged, entry) => {
  const { hook, client, state, clock } = await open(() => 200, { kind: "drop", logged });
  clock.advance(MINUTE_MS);
  expect((await state()).totals).toMatchObject({ dropped: 1, attempts: 0 });
  expect((await client.logs()).json).toMatchObject([entry]);
  clock.advance(70 * MINUTE_MS);
  expect((await client.logs()).json).toMatchObject([{ attempts: logged === "failed" ? 5 : 1 }]);
  expect(hook.received).toHaveLength(0);
});

test("duplicates are sent, and are not in the log; what is delayed comes later", async () => {
  const twice = await open(() => 200, { kind: "duplicate", times: 2 });
  await twice.attempts(3);
  expect((await twice.client.logs()).json).toHaveLength(1);
  const late = await open(() => 200, { kind: "delay", ms: 30 * MINUTE_MS });
  late.clock.advance(25 * MINUTE_MS);
  expect((await late.state()).totals["attempts"]).toBe(0);
  await late.attempts(1);
});
