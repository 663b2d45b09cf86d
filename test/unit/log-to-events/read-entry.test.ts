import { expect, test } from "vitest";
import { readLogEntry } from "../../../src/log-to-events/read-entry.ts";
import { change } from "./answers.ts";

const text = JSON.stringify(change);
const entry = (value: unknown, logNotificationPointer?: string) =>
  readLogEntry(JSON.stringify(value), { logNotificationPointer });
const OURS = { kind: "notification", notification: { ...change, payload: text } };

/** Delivery logs of webhook services, with our notification inside. Their own times and statuses are beside it. */
const SHAPES: [name: string, entry: unknown][] = [
  [
    "an envelope, its event typed with dots",
    {
      id: "msg_2a",
      eventType: "transaction.status.updated",
      timestamp: "2026-11-21T12:00:09Z",
      payload: change,
    },
  ],
  [
    "a body as text in the request, and the response beside it",
    {
      ...{ id: 71, guid: "a", delivered_at: "2026-11-21T12:00:09Z", status: "OK", status_code: 200 },
      request: { headers: { "content-type": "application/json" }, body: text },
      response: { status: 200, body: '{"status":"ok"}' },
    },
  ],
  [
    "an attempt: its own status and date, the event in data",
    { attempt: 2, status: "FAILED", createdAt: "2026-11-21T12:15:00Z", responseStatus: 500, data: change },
  ],
  [
    "a notification that each attempt repeats",
    {
      event: "TRANSACTION_STATUS_UPDATED",
      attempts: [
        { at: "2026-11-21T12:00:01Z", success: false, body: text },
        { at: "2026-11-21T12:15:01Z", success: true, body: text },
      ],
    },
  ],
  [
    "the transaction's id beside the delivery's status, the notification under payload",
    { transactionId: "tx-1", status: "DELIVERED", createdAt: "2026-11-21T12:00:05Z", payload: change },
  ],
  ["an entry that is JSON in a string, with a notification in a string", JSON.stringify({ message: text })],
];

test.each(SHAPES)("%s", (_, value) => {
  expect(entry(value)).toEqual(OURS);
});

test("an entry may be the notification; its own text is the payload, byte for byte", () => {
  const raw = '{ "transactionId": 90071992547409931, "status":"CANCELED",  "n": 1.10 }';
  expect(readLogEntry(raw, {})).toEqual({
    kind: "notification",
    notification: { transactionId: "90071992547409931", status: "CANCELED", createdAt: "", payload: raw },
  });
});

const DIFFER = "notifications in it that differ";
const UNKNOWN = "an unknown status in the entry itself, which may be that of a delivery";
const OTHER_EVENT =
  "a notification, although its eventType names another event: see PARTNER_LOG_EVENT_POINTER";
const NOTHING = "no notification in it";

test.each<[unknown, string]>([
  [1, "no JSON object"],
  [null, "no JSON object"],
  [[change], "no JSON object"],
  ["no JSON", "no JSON object"],
  [{}, NOTHING],
  [{ transaction_id: "tx-1", status: "CANCELED" }, NOTHING],
  [{ transactionId: "tx-1", transactionStatus: "CANCELED" }, NOTHING],
  [{ transactionId: "", status: "CANCELED" }, NOTHING],
  [{ a: { b: { c: { d: change } } } }, NOTHING],
  [{ a: [[change]] }, NOTHING],
  [{ transactionId: "tx-1", status: "DELIVERED" }, UNKNOWN],
  [{ transactionId: "tx-1", status: "failed", payload: "{oops" }, UNKNOWN],
  [{ a: change, b: { ...change, status: "CANCELED" } }, DIFFER],
  [{ a: change, b: { ...change, createdAt: "2026-11-21T12:00:09Z" } }, DIFFER],
  [{ a: change, b: { transactionId: "tx-1", status: "ok" } }, DIFFER],
  [{ ...change, transactionId: "tx-2", payload: change }, DIFFER],
  [{ ...change, eventType: "QUOTE_EXPIRED" }, OTHER_EVENT],
  [{ payload: { eventType: "QUOTE_EXPIRED", data: change } }, OTHER_EVENT],
  [{ payload: { eventType: "QUOTE_EXPIRED", ...change } }, OTHER_EVENT],
])("%j is not understood: %s", (value, detail) => {
  expect(entry(value)).toEqual({ kind: "unreadable", detail });
});

test.each([
  { eventType: "QUOTE_EXPIRED", quoteId: "q" },
  { eventType: 7, data: {} },
])("%j is about another event", (value) => expect(entry(value)).toEqual({ kind: "otherType" }));

test.each(["{oops}", '{"a":1', '"\\x"', '"a', "", '{"a":1}}', "\u0000"])(
  "%j is no JSON, and nothing worse",
  (raw) => expect(readLogEntry(raw, {})).toEqual({ kind: "unreadable", detail: "no JSON object" }),
);

test("depth and number of what an entry holds cost no stack and no great time", () => {
  const deep = `${"[".repeat(100_000)}1${"]".repeat(100_000)}`;
  expect(readLogEntry(`{"a":${deep}}`, {})).toEqual({ kind: "unreadable", detail: NOTHING });
  expect(readLogEntry(`{"a":${'{"b":'.repeat(50_000)}1${"}".repeat(50_000)}}`, {})).toMatchObject({
    detail: NOTHING,
  });
  expect(entry({ all: Array.from({ length: 5_000 }, () => ({ body: text })) })).toEqual(OURS);
});

test("nested, and at the pointer, unknown codes pass", () => {
  const unknown = { ...change, status: "NEW_CODE" };
  expect(entry({ payload: unknown })).toMatchObject({ notification: { status: "NEW_CODE" } });
  expect(entry(unknown, "")).toMatchObject({ notification: { status: "NEW_CODE" } });
});

test.each<[unknown, string]>([
  [{ a: { status: "x", transactionId: "y" }, b: change }, "/b"],
  [{ b: text }, "/b"],
  [{ b: JSON.stringify({ c: [1, change] }) }, "/b/c/1"],
  [JSON.stringify({ b: change }), "/b"],
  [{ "a/b": { "": change } }, "/a~1b/"],
])("%j at %s", (value, pointer) => {
  expect(entry(value, pointer)).toEqual(OURS);
});

test("what is not at the pointer is not looked for elsewhere", () => {
  const detail = "no notification where PARTNER_LOG_NOTIFICATION_POINTER points to";
  for (const value of [{ a: change }, { b: 1 }, { b: "x" }, { b: { status: "CANCELED" } }])
    expect(entry(value, "/b")).toEqual({ kind: "unreadable", detail });
  expect(entry({ eventType: "ping", b: 1 }, "/b")).toEqual({ kind: "otherType" });
  expect(entry({ eventType: "ping", b: change }, "/b")).toEqual({ kind: "unreadable", detail: OTHER_EVENT });
});

test.each(["event", "type", "kind"])("a member %s names no event by itself", (name) => {
  expect(entry({ [name]: "WEBHOOK", payload: change })).toEqual(OURS);
  expect(entry({ [name]: "ping" })).toEqual({ kind: "unreadable", detail: NOTHING });
});

test.each<[unknown, "ours" | "other"]>([
  [{ meta: { name: "TRANSACTION_STATUS_UPDATED" }, payload: change }, "ours"],
  [{ meta: '{"name":"transaction.status.updated"}', payload: change }, "ours"],
  [{ meta: { name: "TRANSACTION_STATUS_UPDATED" }, eventType: "DELIVERY", payload: change }, "ours"],
  [{ eventType: "DELIVERY", payload: { ...change, eventType: "DELIVERY" } }, "ours"],
  [{ meta: { name: null }, payload: change }, "ours"],
  [{ meta: { name: "QUOTE_EXPIRED" }, payload: change }, "other"],
  [{ meta: { name: "QUOTE_EXPIRED" }, eventType: "TRANSACTION_STATUS_UPDATED", payload: change }, "other"],
  [{ meta: { name: 7 }, payload: change }, "other"],
])("where the event stands at a pointer, nothing else names it: %j", (value, event) => {
  const expected = event === "ours" ? OURS.kind : "otherType";
  for (const logNotificationPointer of [undefined, "/payload"]) {
    const pointers = { logEventPointer: "/meta/name", logNotificationPointer };
    expect(readLogEntry(JSON.stringify(value), pointers).kind).toBe(expected);
  }
});
