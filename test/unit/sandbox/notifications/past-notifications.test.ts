import { expect, test } from "vitest";
import type { SandboxOptions } from "../../../../src/sandbox/options.ts";
import { openReceiver, openSandbox } from "../open.ts";
import { until } from "../receiver.ts";

const day = { from: "2026-01-05T03:00:00Z", to: "2026-01-06T03:00:00Z" };

type Change = { transactionId: string; status: string; createdAt: string };
type Entry = Change & { attempts: number; delivered: boolean };
type State = { lost: { count: number; notifications: Change[] }; totals: Record<string, number> };

const nameOf = ({ transactionId, status, createdAt }: Change) => `${transactionId} ${status} ${createdAt}`;

const scene = async (request: object, options: SandboxOptions = {}) => {
  const hook = await openReceiver();
  const client = await openSandbox({ webhookUrls: [hook.url], ...options });
  const made = await client.control<object>("POST", "log", { ...day, ...request });
  const state = () => client.control<State>("GET", "state?only=lost,totals&limit=100000");
  const entries = async () => (await client.logs()).json as Entry[];
  const received = () => hook.received.map(({ body }) => nameOf(JSON.parse(body) as Change)).sort();
  return { client, made, state, entries, received };
};

test("what is not lost is sent, what is lost is named, and the log has both", async () => {
  const { made, state, entries, received } = await scene({ count: 1500, lostShare: 0.1 });
  await until(async () => {
    const { totals } = await state();
    return totals["toSend"] === 0 && totals["pending"] === 0;
  }, "all to be sent");
  const { lost, totals } = await state();
  expect(lost.count).toBeGreaterThan(75);
  expect(lost.count).toBeLessThan(300);
  expect(made).toEqual({ notifications: 1500, lost: lost.count, toSend: 1500 - lost.count });
  expect(totals).toMatchObject({ notifications: 1500, dropped: lost.count, delivered: 1500 - lost.count });
  const names = [...received(), ...lost.notifications.map(nameOf)];
  expect(new Set(names).size).toBe(1500);
  expect((await entries()).map(nameOf).sort()).toEqual(names.sort());
});

test("the notifications are spread over the time, and each transaction goes through the main flow", async () => {
  const { entries } = await scene({ count: 12, send: false });
  const all = await entries();
  expect(all[0]!.createdAt).toBe("2026-01-05T04:00:00.000Z");
  expect(all.at(-1)!.createdAt).toBe("2026-01-06T02:00:00.000Z");
  const ofOne = all.filter(({ transactionId }) => transactionId === all[0]!.transactionId);
  expect(ofOne.map(({ status }) => status)).toEqual([
    "AWAITING_PAYMENT",
    "PAYMENT_CONFIRMED",
    "SETTLEMENT_IN_PROGRESS",
    "CONTRACT_IN_PROGRESS",
    "REGISTERED_TRANSACTION",
    "TRANSACTION_COMPLETED",
  ]);
});

test("nothing may be sent at all, and the log says it was delivered", async () => {
  const { made, entries, received, state } = await scene({ count: 20, send: false });
  expect(made).toMatchObject({ lost: 0, toSend: 0 });
  expect((await entries()).every(({ delivered, attempts }) => delivered && attempts === 1)).toBe(true);
  expect(await state()).toMatchObject({ totals: { attempts: 0, toSend: 0 } });
  expect(received()).toEqual([]);
});

test("the same seed loses the same", async () => {
  const names = async (seed: string) => {
    const { state } = await scene({ count: 200, lostShare: 0.5, send: false, seed });
    return (await state()).lost.notifications.map(nameOf);
  };
  const first = await names("one");
  expect(await names("one")).toEqual(first);
  expect(await names("two")).not.toEqual(first);
});

test("reset ends the sending", async () => {
  const { client, state } = await scene({ count: 100_000 });
  await client.control("POST", "reset");
  expect(await state()).toMatchObject({ lost: { count: 0 }, totals: { toSend: 0, notifications: 0 } });
  expect((await client.logs()).json).toEqual([]);
});

test.each([
  [{ ...day, count: 0 }, "count"],
  [{ ...day, lostShare: 2 }, "lostShare"],
  [{ ...day, logged: "never" }, "logged must be one of failed, delivered"],
  [{ ...day, send: "no" }, "send"],
  [{ from: day.from }, "to must be an instant"],
  [{ from: day.to, to: day.from }, "to must not be before from"],
  [{ ...day, amount: 3 }, "amount"],
])("the request %j is refused with a sentence", async (body, message) => {
  const client = await openSandbox();
  const answer = await client.send("POST", "/_sandbox/log", body);
  expect(answer.status).toBe(400);
  expect(answer.text).toContain(message);
});
