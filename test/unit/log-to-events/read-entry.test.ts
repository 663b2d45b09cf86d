import { describe, expect, test } from "vitest";
import { readEntry } from "../../../src/log-to-events/read-entry.ts";
import { change, taken } from "./answers.ts";

const text = JSON.stringify(change);
const other = { ...change, transactionId: "tx-2" };
const sent = { createdAt: "2026-11-21T12:15:00.000Z", sentAt: "2026-11-21T12:15:00.000Z" };

const notification = (entry: unknown, pointer: string | null = null) => {
  const read = readEntry(typeof entry === "string" ? entry : JSON.stringify(entry), pointer);
  return read.kind === "notification" ? read.notification : read;
};
const unreadable = (detail: string) => ({ kind: "unreadable", detail });
const none = unreadable("no notification in it");
const several = unreadable("more than one notification in it");

describe("the entry itself is the notification", () => {
  test("and its payload is the text as it stands there", () => {
    const entry = `{ "transactionId": 12345678901234567890, "status": "A", "createdAt": 1763726400.10, "url": "http://x" }`;
    expect(notification(entry)).toEqual({
      transactionId: "12345678901234567890",
      status: "A",
      createdAt: "1763726400.10",
      payload: entry,
    });
  });

  test.each([
    { transaction_id: "tx-1", transaction_status: "REFUNDED", created_at: change.createdAt },
    { TransactionId: "tx-1", Status: "REFUNDED", CreatedAt: change.createdAt },
    { "transaction-id": "tx-1", status: "REFUNDED", "created-at": change.createdAt },
    { transactionId: "tx-1", transaction_id: "tx-1", status: "REFUNDED", createdAt: change.createdAt },
  ])("in another spelling: %j", (entry) => {
    expect(notification(entry)).toEqual({ ...change, payload: JSON.stringify(entry) });
  });

  test("a string may hold it, and is its payload unescaped", () => {
    expect(notification(JSON.stringify(text))).toEqual(taken);
    expect(notification(` ${JSON.stringify(`\n${text} `)} `)).toEqual(taken);
  });

  test.each([
    { transactionId: "tx-1", status: "DELIVERED", transactionStatus: "REFUNDED" },
    { transactionId: "tx-1", transaction_id: "tx-2", status: "REFUNDED" },
    { ...change, created_at: sent.sentAt },
  ])("two names for one field that say different things: %j", (entry) => {
    expect(notification(entry)).toEqual(none);
  });

  test("of a name that occurs twice the last one counts", () => {
    expect(notification('{"transactionId":"a","status":"x","status":"y"}')).toMatchObject({ status: "y" });
  });
});

describe("the notification lies in the entry", () => {
  test.each<[string, object]>([
    ["as an object", { ...sent, payload: change }],
    ["as JSON in a string", { ...sent, payload: text }],
    [
      "with fields of the entry that look like its own",
      { transactionId: "x", status: "DELIVERED", ...sent, body: change },
    ],
    [
      "in a request",
      {
        ...sent,
        request: { method: "POST", url: "http://x", body: text },
        response: { status: 500, body: "{}" },
      },
    ],
    ["in attributes", { type: "notifications", id: "1", attributes: { ...sent, payload: change } }],
    ["in a node", { cursor: "abc", node: change }],
    ["four deep", { a: { b: { c: { d: change } } } }],
    ["in a string in a string", { message: JSON.stringify({ body: text }) }],
    ["twice, as object and text", { payload: change, request: { body: text } }],
    [
      "once with its instant, once without",
      { transaction: { transactionId: "tx-1", status: "REFUNDED" }, payload: change },
    ],
    ["beside what was before", { previous: { ...change, status: "PAYMENT_ISSUE" }, payload: change }],
    ["beside attempts", { payload: change, attempts: [{ transactionId: "tx-9", status: "FAILED" }] }],
    [
      "as an event of CloudEvents",
      { specversion: "1.0", type: "com.partner.notification", time: sent.sentAt, data: change },
    ],
  ])("%s", (_, entry) => {
    expect(notification(entry)).toEqual(taken);
  });

  test("without a createdAt it has none, whatever the entry says", () => {
    const inner = { transactionId: "tx-1", status: "REFUNDED" };
    for (const payload of [inner, JSON.stringify(inner)])
      expect(notification({ ...sent, payload })).toEqual({
        ...inner,
        createdAt: "",
        payload: JSON.stringify(inner),
      });
  });

  test("its own bytes are kept, digits and spaces too", () => {
    const inner = '{ "transactionId" : 1.0, "status":"\\u0041",\n"createdAt":1e9 }';
    expect(notification(`{"payload":${inner}}`)).toEqual({
      transactionId: "1.0",
      status: "A",
      createdAt: "1e9",
      payload: inner,
    });
  });

  test("an escape for half a character becomes U+FFFD, in the payload too", () => {
    const read = notification(String.raw`{"body":"{\"transactionId\":\"\ud800\",\"status\":\"A\"}"}`);
    expect(read).toMatchObject({
      transactionId: "\uFFFD",
      payload: '{"transactionId":"\uFFFD","status":"A"}',
    });
  });

  test.each([
    { a: change, b: other },
    { a: change, b: { c: text, d: JSON.stringify(other) } },
    { a: change, b: { ...change, createdAt: "2026-11-21T12:00:00.001Z" } },
  ])("another one beside it is too many: %j", (entry) => {
    expect(notification({ x: entry })).toEqual(several);
  });

  test("another spelling of the same instant is no other notification", () => {
    expect(notification({ a: change, b: { ...change, createdAt: 1795262400000 } })).toEqual(taken);
    expect(notification({ a: change, b: { ...change, createdAt: "2026-11-21T09:00:00-03:00" } })).toEqual(
      taken,
    );
  });

  test.each<[object]>([
    [{ a: { b: { c: { d: { e: change } } } } }],
    [{ list: [{ ...change, status: "A" }] }],
    [{ payload: { transactionId: "", status: "A" } }],
    [{ payload: { transactionId: "tx-1" } }],
    [{}],
  ])("there is none in %j", (entry) => {
    expect(notification(entry)).toEqual(none);
  });
});

describe("the entry and an object in it both look like a notification", () => {
  const delivered = { transactionId: "tx-1", status: "DELIVERED", createdAt: sent.createdAt };

  test.each<[string, object]>([
    ["the entry, when the other one's is unknown", { ...change, delivery: delivered }],
    ["the entry, when that is JSON in a string", { ...change, delivery: JSON.stringify(delivered) }],
    [
      "the entry, when that is of another transaction",
      { ...change, delivery: { ...delivered, transactionId: "d" } },
    ],
    ["the nested one, when the entry's is unknown", { ...delivered, payload: change }],
    ["the nested one, when only the times differ", { ...change, ...sent, payload: change }],
  ])("the known status counts: %s", (_, entry) => {
    expect(notification(entry)).toMatchObject(change);
  });

  test.each<[string, object]>([
    ["beside that of the delivery", { ...delivered, payload: { ...change, status: "NEWER" } }],
    ["beside that of today", { ...change, status: "CANCELED", notification: { ...change, status: "NEWER" } }],
    ["beside that of today, in text", { ...change, payload: JSON.stringify({ ...change, status: "NEWER" }) }],
  ])("what is wrapped as a notification counts, whatever its status: %s", (_, entry) => {
    expect(notification(entry)).toMatchObject({ ...change, status: "NEWER" });
  });

  test.each<object>([
    { ...change, transaction: { ...change, status: "CANCELED" } },
    { ...change, transaction: other },
    { ...change, delivery: delivered, response: { ...delivered, status: "ANSWERED" } },
  ])("none counts where both are known, or neither is: %j", (entry) => {
    expect(notification(entry)).toEqual(several);
  });
});

test.each(["1", "null", "true", '"text"', '""', "[]", `[${text}]`, '"[1]"', '"{"'])(
  "%s is no object",
  (entry) => {
    expect(notification(entry)).toEqual(unreadable("no JSON object"));
  },
);

test("an object of more members than any entry has is not looked into", () => {
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, nth) => [`x${nth}`, 1]));
  expect(notification({ ...many(997), ...change })).toMatchObject(change);
  expect(notification({ ...many(998), ...change })).toEqual(unreadable("no JSON object"));
  expect(notification({ ...many(1_001), payload: change })).toEqual(unreadable("no JSON object"));
});

describe("where a pointer says", () => {
  const missing = unreadable("no notification where PARTNER_LOG_NOTIFICATION_POINTER points to");
  test.each<[string, object]>([
    ["/payload", { payload: change, also: other }],
    ["/payload", { payload: text, also: other }],
    ["/request/body/data", { request: { body: JSON.stringify({ data: change }) } }],
    ["/a~1b/~0c", { "a/b": { "~c": change } }],
    ["/items/1", { items: [other, change] }],
    ["", change],
  ])("%s: exactly that", (pointer, entry) => {
    expect(notification(entry, pointer)).toEqual(taken);
  });

  test.each<[string, object]>([
    ["/payload", { body: change }],
    ["/payload", change],
    ["/payload", { payload: [change] }],
    ["/payload", { payload: { deeper: change } }],
    ["/payload/x", { payload: "text" }],
    ["/items/2", { items: [change] }],
    ["/items/-", { items: [change] }],
    ["/payload", { payload: null }],
  ])("%s: not elsewhere", (pointer, entry) => {
    expect(notification(entry, pointer)).toEqual(missing);
  });
});

describe("another type of event", () => {
  const ours = [
    "TRANSACTION_STATUS_UPDATED",
    "transaction.status.updated",
    "TransactionStatusUpdated",
    "transaction-status-changed",
    "STATUS_UPDATED",
    "br.com.partner.transaction_status_updated.v1",
  ];
  const noProof = [
    "",
    "DELIVERED",
    "delivery.failed",
    "WEBHOOK_SENT",
    "notification",
    "retry",
    "success",
    "failed",
    "attempt-3",
    "42",
  ];
  const others = [
    "QUOTE_EXPIRED",
    "QUOTATION_EXPIRED",
    "TRANSACTION_CREATED",
    "transaction.document.requested",
    "PAYMENT_FAILED",
    "ACCOUNT_UPDATED",
    "QUOTE_STATUS_UPDATED",
  ];
  const places = (type: string): object[] => [
    { eventType: type, ...change },
    { event_type: type, payload: change },
    { payload: { ...change, eventType: type } },
    { event: { type, name: type }, data: change },
    { node: { EventType: type, payload: text } },
  ];

  test.each(others)("%s is passed over, with or without a notification", (type) => {
    for (const entry of places(type)) expect(notification(entry)).toEqual({ kind: "otherType" });
    const vague = { event: type, body: JSON.stringify({ ...change, status: "ANY_OTHER" }) };
    expect(notification(vague)).toEqual({ kind: "otherType" });
    expect(notification({ eventType: type, quoteId: "q-1" })).toEqual({ kind: "otherType" });
    expect(notification({ eventType: type, payload: change }, "/payload")).toEqual({ kind: "otherType" });
    expect(notification({ payload: { ...change, eventName: type } }, "/payload")).toEqual({
      kind: "otherType",
    });
  });

  test.each([...ours, ...noProof])("%j is none", (type) => {
    for (const entry of [...places(type), { event: type, body: text }])
      expect(notification(entry), JSON.stringify(entry)).toMatchObject(change);
    expect(notification({ eventType: type, payload: change }, "/payload")).toEqual(taken);
  });

  test.each<[object]>([
    [{ type: "QUOTE_EXPIRED" }],
    [{ eventType: 7 }],
    [{ eventType: null }],
    [{ events: "QUOTE_EXPIRED" }],
    [{ kind: "OUTBOUND" }],
    [{ lastAttempt: { event: "connection_refused" } }],
  ])("%j is no proof", (members) => {
    expect(notification({ ...members, payload: change })).toEqual(taken);
  });

  test("what says the asked for type as well is read", () => {
    expect(
      notification({ event: "CREATED", payload: { eventType: "TRANSACTION_STATUS_UPDATED", ...change } }),
    ).toMatchObject(change);
  });
});

test("no detail repeats what the entry holds", () => {
  for (const entry of [
    '{"secret":"hunter2"}',
    '"hunter2"',
    '{"a":{"transactionId":"hunter2","status":"A"},"b":{"transactionId":"hunter3","status":"A"}}',
  ])
    expect(JSON.stringify(notification(entry))).not.toContain("hunter");
});

describe("what an entry says of its event", () => {
  const payload = { ...change, status: "REFUNDED" };

  test.each([
    "TIMEOUT",
    "EXHAUSTED",
    "REJECTED",
    "PENDING",
    "PROCESSED",
    "ACK",
    "UPDATE",
    "TRANSACTION_UPDATED",
  ])(
    "event: %s may be what became of the sending: a notification of a known status is none the less one",
    (event) => {
      expect(readEntry(JSON.stringify({ event, notification: payload }), null).kind).toBe("notification");
      expect(readEntry(JSON.stringify({ event, ...payload }), null).kind).toBe("notification");
    },
  );

  test("a name of the event proves nothing either; eventType does, and so does event around another status", () => {
    const named = { event: { name: "Supplier payment", ...payload } };
    expect(readEntry(JSON.stringify(named), null).kind).toBe("notification");
    expect(readEntry(JSON.stringify({ eventType: "QUOTE_EXPIRED", ...payload }), null).kind).toBe(
      "otherType",
    );
    const quote = { event: "QUOTE_EXPIRED", payload: { ...payload, status: "EXPIRED" } };
    expect(readEntry(JSON.stringify(quote), null).kind).toBe("otherType");
  });

  test("an entry that lists other statuses of its transaction is not one notification; attempts to send it are no statuses", () => {
    const history = [{ status: "AWAITING_PAYMENT", createdAt: "2026-11-21T11:00:00Z" }];
    expect(notification({ ...payload, history })).toEqual(several);
    expect(
      notification({ transactionId: "tx-1", notifications: [payload, { ...payload, status: "CANCELED" }] }),
    ).toEqual(several);
    const attempts = [{ status: "FAILED", createdAt: "2026-11-21T11:00:00Z" }, { status: 200 }];
    expect(readEntry(JSON.stringify({ ...payload, attempts }), null).kind).toBe("notification");
  });
});
