import { expect, test } from "vitest";
import { eventWindow } from "../../../src/webhooks-to-events/event-window.ts";
import { webhooksToEvents, type Place } from "../../../src/webhooks-to-events/flow.ts";
import { verification } from "../../../src/webhooks-to-events/verify.ts";
import type { TransactionStatusUpdated } from "../../../src/records.ts";

const NOW_MS = Date.parse("2026-11-21T13:00:00Z");

/** The flow, with a Kafka that acknowledges when the test says so. */
const openFlow = () => {
  const published: { event: TransactionStatusUpdated; acknowledge: () => void; fail: () => void }[] = [];
  const window = eventWindow({ windowMs: 7_200_000, maxBytes: 100_000 });
  const receive = webhooksToEvents({
    verify: verification({
      auth: { kind: "none" },
      secrets: () => [],
      allowedCidrs: [],
      trustedProxyCidrs: [],
    }),
    publish: (event) =>
      new Promise<Place>((resolve, reject) => {
        published.push({
          event,
          acknowledge: () => resolve({ partition: 0, offset: 0 }),
          fail: () => reject(new Error("not acknowledged")),
        });
      }),
    park: () => Promise.reject(new Error("everything here is understood")),
    memory: {
      seen: window.seen,
      about: window.about,
      note: (event, _, recollection) => window.note(event, NOW_MS, recollection),
    },
    now: () => NOW_MS,
  });
  const deliver = (transactionId: string, status: string, minute: number) =>
    receive({
      pathToken: null,
      headers: {},
      body: Buffer.from(
        JSON.stringify({
          transactionId,
          status,
          createdAt: `2026-11-21T12:${String(minute).padStart(2, "0")}:00Z`,
        }),
      ),
      peerAddress: "127.0.0.1",
      receivedAt: NOW_MS,
    });
  return { deliver, published, last: () => published.at(-1)?.event };
};

test("an earlier status is out of order behind a later one that is not acknowledged yet", () => {
  const { deliver, last } = openFlow();
  void deliver("tx", "TRANSACTION_COMPLETED", 10);
  expect(last()?.outOfOrder).toBe(false);
  void deliver("tx", "CONTRACT_IN_PROGRESS", 5);
  expect(last()?.outOfOrder).toBe(true);
  void deliver("tx", "CANCELED", 10);
  expect(last()?.outOfOrder, "the same instant is not later").toBe(false);
  void deliver("other", "CONTRACT_IN_PROGRESS", 5);
  expect(last()?.outOfOrder, "another transaction").toBe(false);
});

test("the direction that a status in flight proves is known", () => {
  const { deliver, last } = openFlow();
  void deliver("tx", "AWAITING_MONEY_ORDER", 1);
  void deliver("tx", "CONTRACT_IN_PROGRESS", 2);
  expect(last()?.direction).toBe("INBOUND");
  void deliver("other", "CONTRACT_IN_PROGRESS", 2);
  expect(last()?.direction).toBe("UNKNOWN");
});

test("what was not acknowledged is forgotten, what was is remembered", async () => {
  const { deliver, published, last } = openFlow();
  const lost = deliver("tx", "AWAITING_PAYMENT", 10);
  const kept = deliver("tx", "CANCELED", 8);
  published[0]?.fail();
  published[1]?.acknowledge();
  await expect(lost).rejects.toThrow("not acknowledged");
  await kept;
  void deliver("tx", "CONTRACT_IN_PROGRESS", 9);
  expect(last()?.outOfOrder, "only the lost one happened later").toBe(false);
  void deliver("tx", "REGISTERED_TRANSACTION", 7);
  expect(last()?.outOfOrder).toBe(true);
});

test("of several in flight the one that is left still counts", async () => {
  const { deliver, published, last } = openFlow();
  const lost = deliver("tx", "TRANSACTION_COMPLETED", 20);
  void deliver("tx", "PAYMENT_CONFIRMED", 10);
  published[0]?.fail();
  await expect(lost).rejects.toThrow();
  void deliver("tx", "CONTRACT_IN_PROGRESS", 15);
  expect(last()).toMatchObject({ outOfOrder: false, direction: "OUTBOUND" });
  void deliver("tx", "REGISTERED_TRANSACTION", 5);
  expect(last()).toMatchObject({ outOfOrder: true, direction: "OUTBOUND" });
});
