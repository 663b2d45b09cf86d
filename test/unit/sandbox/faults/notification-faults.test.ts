import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { openReceiver, openSandbox } from "../open.ts";
import { until } from "../receiver.ts";

const scene = async (fault: object, statuses: string[], options = {}) => {
  const hook = await openReceiver();
  const client = await openSandbox({ timeScale: 60_000, webhookUrls: [hook.url], ...options });
  await client.control("POST", "faults", { operation: "notification", ...fault });
  await client.control("POST", "transactions", { transactionId: "tx-1", statuses });
  const received = () => hook.received.map(({ body }) => (JSON.parse(body) as { status: string }).status);
  return { hook, client, received };
};

test("duplicate sends the same notification again, which the log does not show", async () => {
  const { client, received } = await scene({ kind: "duplicate", times: 2 }, ["A"]);
  await until(() => received().length >= 3, "the duplicates");
  expect(received()).toEqual(["A", "A", "A"]);
  expect((await client.logs()).json).toHaveLength(1);
});

test.each([
  ["failed", 5],
  ["delivered", 1],
] as const)("drop sends nothing, and the log shows it as %s with %i attempts", async (logged, attempts) => {
  const fault = { kind: "drop", logged, match: { status: "B" } };
  const { client, hook, received } = await scene(fault, ["A", "B", "C"]);
  await until(() => received().length >= 2, "the others");
  expect(received().sort()).toEqual(["A", "C"]);
  // The attempts that were never made are told at the time when they would have been.
  await until(async () => {
    const [, dropped] = (await client.logs()).json as { attempts: number }[];
    return dropped?.attempts === attempts;
  }, "the attempts");
  expect((await client.logs()).json).toMatchObject([{ status: "A" }, { status: "B" }, { status: "C" }]);
  expect(await client.control("GET", "state?only=lost,totals")).toMatchObject({
    lost: {
      count: 1,
      notifications: [{ transactionId: "tx-1", status: "B", state: "dropped", url: hook.url }],
    },
    totals: { dropped: 1, delivered: 2 },
  });
});

test("a share of notifications is dropped, no more than count of them, and each is named", async () => {
  const fault = { kind: "drop", probability: 0.5, count: 3, match: { transactionId: "tx-*" } };
  const { client, received } = await scene(fault, [], { walk: "still", seed: "three of twenty" });
  await client.control("POST", "transactions", { transactionId: "other-1" });
  for (let nth = 0; nth < 20; nth += 1)
    await client.control("POST", "transactions", { transactionId: `tx-${nth}` });
  await until(() => received().length >= 18, "those that are not dropped");
  type Lost = { lost: { count: number; notifications: { transactionId: string }[] } };
  const { lost } = await client.control<Lost>("GET", "state?only=lost&limit=2");
  expect(lost.count).toBe(3);
  expect(lost.notifications).toHaveLength(2);
  for (const { transactionId } of lost.notifications) expect(transactionId).toMatch(/^tx-/);
});

test("reorder lets the next notification of the transaction overtake", async () => {
  const { received } = await scene({ kind: "reorder", count: 1 }, ["A", "B"]);
  await until(() => received().length >= 2, "both");
  expect(received()).toEqual(["B", "A"]);
});

test("a reordered notification that nothing follows is sent all the same", async () => {
  const { received } = await scene({ kind: "reorder" }, ["A"]);
  await until(() => received().length >= 1, "the lonely one");
});

test("delay sends it later, by the partner's time", async () => {
  const { received } = await scene({ kind: "delay", ms: 36_000_000, match: { status: "A" } }, [
    "A",
    "B",
    "C",
  ]);
  await until(() => received().length >= 3, "all");
  expect(received().at(-1)).toBe("A");
});

test("burst holds notifications back until there are enough of them", async () => {
  const { hook, client } = await scene({ kind: "burst", size: 3 }, ["A"], { timeScale: 100 });
  await client.control("POST", "transactions", { transactionId: "tx-2", statuses: ["A"] });
  const pending = await client.control("GET", "state?only=totals");
  expect(pending).toMatchObject({ totals: { notifications: 2, pending: 2, attempts: 0 } });
  await client.control("POST", "transactions", { transactionId: "tx-3", statuses: ["A"] });
  await until(() => hook.received.length === 3, "the burst");
});

test("a forged notification carries a signature that is wrong, the others one that is right", async () => {
  const signing = { scheme: "hmac-hex", secret: "s3cret", header: "X-Signature", prefix: "sha256=" } as const;
  const { hook, client } = await scene({ kind: "forge", match: { status: "B" } }, ["A", "B"], { signing });
  await until(() => hook.received.length === 2, "both");
  const right = hook.received.map(({ body, headers }) => {
    const expected = `sha256=${createHmac("sha256", "s3cret").update(body).digest("hex")}`;
    return headers["x-signature"] === expected;
  });
  expect(right).toEqual([true, false]);
  // Somebody else made it up, so the partner's log does not know of it.
  expect((await client.logs()).json).toMatchObject([{ status: "A" }]);
});
