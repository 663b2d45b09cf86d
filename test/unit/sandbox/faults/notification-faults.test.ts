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

test("drop sends nothing, but the log shows it", async () => {
  const { client, received } = await scene({ kind: "drop", match: { status: "B" } }, ["A", "B", "C"]);
  await until(() => received().length >= 2, "the others");
  expect(received().sort()).toEqual(["A", "C"]);
  expect((await client.logs()).json).toMatchObject([
    { status: "A" },
    { status: "B", attempts: 0 },
    { status: "C" },
  ]);
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
  const { hook } = await scene({ kind: "forge", match: { status: "B" } }, ["A", "B"], { signing });
  await until(() => hook.received.length === 2, "both");
  const right = hook.received.map(({ body, headers }) => {
    const expected = `sha256=${createHmac("sha256", "s3cret").update(body).digest("hex")}`;
    return headers["x-signature"] === expected;
  });
  expect(right).toEqual([true, false]);
});
