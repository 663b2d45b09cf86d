import { expect, test } from "vitest";
import { eventWindow } from "../../../src/notification/event-window.ts";
import { createPublishOnce } from "../../../src/notification/publish-once.ts";
import { webhooksToEvents, type DeliveryOutcome } from "../../../src/webhooks-to-events/flow.ts";
import { verificationOf } from "./reception.ts";
import type { TransactionStatusUpdated } from "../../../src/records.ts";
import type { RecordPosition } from "../../../src/runtime/record-position.ts";

const NOW_MS = Date.parse("2026-11-21T13:00:00Z");

/** The flow, with a Kafka that acknowledges when the test says so. */
const openFlow = () => {
  const published: { event: TransactionStatusUpdated; acknowledge: () => void; fail: () => void }[] = [];
  const written: { eventId: string; position: RecordPosition }[] = [];
  const window = eventWindow({ windowMs: 7_200_000, maxBytes: 100_000 });
  const flow = webhooksToEvents({
    admit: verificationOf({}),
    publishOnce: createPublishOnce({
      publish: (event) =>
        new Promise<RecordPosition>((resolve, reject) => {
          published.push({
            event,
            acknowledge: () =>
              resolve({ partition: 0, offset: published.findIndex((other) => other.event === event) }),
            fail: () => reject(new Error("not acknowledged")),
          });
        }),
      window,
      mask: (payload) => payload,
      eventFields: [],
      onPublished: ({ eventId }, position) => void written.push({ eventId, position }),
      now: () => NOW_MS,
    }),
    deadLetter: () => Promise.reject(new Error("everything here is understood")),
  });
  const head = { pathToken: null, headers: {}, peerAddress: "127.0.0.1", receivedAt: NOW_MS };
  const post = (transactionId: string, status: string, createdAt: unknown): Promise<DeliveryOutcome> => {
    const reception = flow(head);
    if (reception.kind === "refused") throw new Error("not admitted");
    return reception.handleBody(Buffer.from(JSON.stringify({ transactionId, status, createdAt })));
  };
  const deliver = (transactionId: string, status: string, minute: number) =>
    post(transactionId, status, `2026-11-21T12:${String(minute).padStart(2, "0")}:00Z`);
  return { post, deliver, published, written, last: () => published.at(-1)?.event };
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

test("each durable event is reported once, with its position; a duplicate and a failed one are not", async () => {
  const { deliver, published, written } = openFlow();
  const lost = deliver("tx", "AWAITING_PAYMENT", 10);
  const kept = deliver("tx", "CANCELED", 11);
  const copy = deliver("tx", "CANCELED", 11);
  published[0]?.fail();
  published[1]?.acknowledge();
  await expect(lost).rejects.toThrow("not acknowledged");
  const outcomes = [await kept, await copy, await deliver("tx", "CANCELED", 11)];
  expect(outcomes.map(({ kind }) => kind)).toEqual(["published", "duplicate", "duplicate"]);
  expect(written).toEqual([{ eventId: published[1]?.event.eventId, position: { partition: 0, offset: 1 } }]);
});

test("a duplicate of what is on its way waits for the same acknowledgement, and fails with it", async () => {
  const { deliver, published } = openFlow();
  const copies = [1, 2, 3].map(() => deliver("tx", "CANCELED", 10));
  let answered = 0;
  for (const copy of copies) void copy.then(() => answered++);
  const other = deliver("other", "CANCELED", 10);
  published[1]?.acknowledge();
  await other;
  expect([answered, published.length]).toEqual([0, 2]);
  published[0]?.acknowledge();
  expect((await Promise.all(copies)).map(({ kind }) => kind)).toEqual([
    "published",
    "duplicate",
    "duplicate",
  ]);

  const lost = [1, 2].map(() => deliver("tx", "REFUNDED", 11));
  published[2]?.fail();
  for (const outcome of await Promise.allSettled(lost)) expect(outcome.status).toBe("rejected");
  const again = deliver("tx", "REFUNDED", 11);
  published[3]?.acknowledge();
  expect((await again).kind, "the next one starts anew").toBe("published");
});

test.each(["2026-11-21T09:30:00.000-03:00", "2026-11-21 12:30:00,000Z", 1_795_264_200, "1795264200000"])(
  "another spelling of the same instant, %s, is the same notification: in flight, and once it is published",
  async (spelling) => {
    const { post, deliver, published } = openFlow();
    const first = deliver("tx", "CANCELED", 30);
    const second = post("tx", "CANCELED", spelling);
    expect(published).toHaveLength(1);
    published[0]?.acknowledge();
    expect((await first).kind).toBe("published");
    const eventId = published[0]?.event.eventId;
    expect(await second).toMatchObject({ kind: "duplicate", event: { eventId } });
    expect(await deliver("tx", "CANCELED", 30)).toMatchObject({ kind: "duplicate", event: { eventId } });
    expect(await post("tx", "CANCELED", spelling)).toMatchObject({ kind: "duplicate", event: { eventId } });
    expect(published).toHaveLength(1);
  },
);

test("where no instant can be read, the text counts; another status or instant is another notification", async () => {
  const { post, published } = openFlow();
  const texts = [
    "2026-11-21 12:30",
    "2026-11-21 12:30:00",
    "",
    "2026-11-21T12:30:00Z",
    "2026-11-21T12:30:00.001Z",
  ];
  for (const text of texts) void post("tx", "CANCELED", text);
  void post("tx", "REFUNDED", "2026-11-21T12:30:00Z");
  void post("ty", "CANCELED", "2026-11-21T12:30:00Z");
  expect(published).toHaveLength(texts.length + 2);
  for (const { acknowledge } of published) acknowledge();
  for (const text of texts) expect((await post("tx", "CANCELED", text)).kind).toBe("duplicate");
});
