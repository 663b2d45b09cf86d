import { expect, test } from "vitest";
import { createSentLog } from "../../../../src/sandbox/notifications/sent-log.ts";

const sent = (nth: number) => ({ url: "http://h/", transactionId: `tx-${nth}`, status: "A", createdAt: nth });

test("an entry is told with the attempts made until now", () => {
  const log = createSentLog(10);
  const entryId = log.add(sent(5));
  expect(log.sentAt(entryId)).toBe(5);
  log.attempted(entryId, 10, null);
  log.attempted(entryId, 20, 204);
  log.settle(entryId, "delivered");
  expect(log.get(entryId, 15)).toMatchObject({ ...sent(5), attempts: [{ at: 10, httpStatus: null }] });
  expect(log.get(entryId, 20)).toMatchObject({
    state: "delivered",
    attempts: [
      { at: 10, httpStatus: null },
      { at: 20, httpStatus: 204 },
    ],
  });
  expect([log.sentAt(entryId), log.attempts(entryId, 15), log.attempts(entryId, 20)]).toEqual([10, 1, 2]);
});

test("no more than five attempts are kept", () => {
  const log = createSentLog(1);
  const entryId = log.add(sent(1));
  for (let at = 1; at <= 6; at += 1) log.attempted(entryId, at, 500);
  expect(log.get(entryId, 100)?.attempts.map(({ at }) => at)).toEqual([1, 2, 3, 4, 5]);
});

test("the oldest entries are forgotten, and naming them does nothing to those in their place", () => {
  const log = createSentLog(3000);
  for (let nth = 0; nth < 7000; nth += 1) log.attempted(log.add(sent(nth)), nth, 500);
  expect(log.range()).toEqual([4000, 7000]);
  log.settle(3999, "failed");
  log.attempted(3999, 1, 200);
  expect(log.get(3999, Infinity)).toBeNull();
  for (const entryId of [4000, 6999])
    expect(log.get(entryId, Infinity)).toMatchObject({
      ...sent(entryId),
      state: "pending",
      attempts: [{ at: entryId, httpStatus: 500 }],
    });
  expect(log.lost(10, 0).count).toBe(0);
});

test("what was lost is counted in full and named newest first, as far as asked for", () => {
  const log = createSentLog(10);
  for (let nth = 0; nth < 4; nth += 1) log.add(sent(nth));
  log.settle(0, "delivered");
  log.settle(1, "failed");
  log.settle(2, "dropped");
  const { count, notifications } = log.lost(1, 0);
  expect([count, notifications.map(({ transactionId }) => transactionId)]).toEqual([2, ["tx-2"]]);
});

test("what was cleared is forgotten", () => {
  const log = createSentLog(10);
  const before = log.add(sent(1));
  log.clear();
  expect(log.get(before, Infinity)).toBeNull();
  log.settle(before, "failed");
  const after = log.add(sent(2));
  expect(log.range()).toEqual([after, after + 1]);
});
