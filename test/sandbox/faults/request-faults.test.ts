import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { headers } from "../client.ts";
import { openSandbox } from "../open.ts";

const withFault = async (fault: object) => {
  const client = await openSandbox();
  const added = await client.control<{ faultId: string }>("POST", "faults", {
    operation: "accept",
    ...fault,
  });
  expect(added.faultId).toBe("fault-1");
  const quoteId = await client.createdId();
  const executions = async () =>
    (await client.control<{ executions: number }>("GET", `executions/${quoteId}`)).executions;
  return { client, quoteId, executions };
};

/** Whether an answer, or the rest of one, is still to come after a moment. */
const isOpen = (answer: Promise<unknown>): Promise<boolean> => {
  const ended = answer.then(
    () => false,
    () => false,
  );
  return Promise.race([ended, setTimeout(100, true)]);
};

test.each([
  ["before", 0],
  ["after", 1],
] as const)("a fault %s executing leaves %i executions", async (when, expected) => {
  const refused = await withFault({ kind: "status", status: 503, when, body: '{"broken":true}' });
  const answer = await refused.client.accept(refused.quoteId);
  expect(answer).toMatchObject({ status: 503, text: '{"broken":true}' });
  expect(await refused.executions()).toBe(expected);

  const hang = await withFault({ kind: "hang", when });
  expect(await isOpen(hang.client.accept(hang.quoteId))).toBe(true);
  // On a machine that pauses, the request may arrive only after that wait.
  await expect.poll(hang.executions).toBe(expected);
});

test("a slow body is whole in the end, its headers being there long before", async () => {
  const { client, quoteId } = await withFault({ kind: "slow-body", ms: 60_000 });
  const url = `${client.url}/corporate/v1/quote/${quoteId}/accept`;
  const early = await fetch(url, { method: "PUT", headers, body: '{"counterpartyId":"cp-1"}' });
  expect([early.status, await isOpen(early.text())]).toEqual([200, true]);
  const quick = await withFault({ kind: "slow-body", ms: 20 });
  expect((await quick.client.accept(quick.quoteId)).json).toMatchObject({ quoteId: quick.quoteId });
});

test("429 carries Retry-After and executes nothing; 401 neither", async () => {
  const throttled = await withFault({ kind: "throttle", retryAfter: "7", count: 1 });
  const answer = await throttled.client.accept(throttled.quoteId);
  expect(answer.status).toBe(429);
  expect(answer.headers.get("retry-after")).toBe("7");
  expect(await throttled.executions()).toBe(0);
  expect((await throttled.client.accept(throttled.quoteId)).status).toBe(200);
  const unauthorized = await withFault({ kind: "unauthorized" });
  expect((await unauthorized.client.accept(unauthorized.quoteId)).status).toBe(401);
  expect(await unauthorized.executions()).toBe(0);
});

test("skip and count say which matches are hit", async () => {
  const { client } = await withFault({ kind: "status", status: 500, skip: 1, count: 2 });
  const statuses = [];
  for (let nth = 0; nth < 5; nth += 1) statuses.push((await client.accept(await client.createdId())).status);
  expect(statuses).toEqual([200, 500, 500, 200, 200]);
  expect(await client.control("GET", "state?only=faults")).toMatchObject({
    faults: [{ matched: 3, hits: 2 }],
  });
});

test.each([
  ["quoteId", { quoteId: "q-1" }],
  ["a prefix of the path", { path: "/corporate/v1/quote/q-1*" }],
  ["a part of the body", { body: "cp-special" }],
])("a match on %s hits that request alone", async (_, match) => {
  const client = await openSandbox({ acceptUnknownQuotes: true });
  await client.control("POST", "faults", { operation: "accept", kind: "status", status: 500, match });
  expect((await client.accept("q-2", { counterpartyId: "cp" })).status).toBe(200);
  expect((await client.accept("q-1", { counterpartyId: "cp-special" })).status).toBe(500);
});
