import { expect, test } from "vitest";
import { NO_FACTS, type TransactionFacts } from "../../../src/notification/transaction-facts.ts";
import { eventIdOf, meaningOf, translate } from "../../../src/notification/translate.ts";

const notification = {
  transactionId: "tx-1",
  status: "AWAITING_PAYMENT",
  createdAt: "2026-11-21T12:00:00Z",
  payload: "{}",
};
const noon = Date.parse("2026-11-21T12:00:00Z");

const translated = (changes: Partial<typeof notification> = {}, known = NO_FACTS) =>
  translate(
    { ...notification, ...changes },
    { receivedAt: 1, source: "WEBHOOK", facts: known, mask: (payload) => payload, eventFields: [] },
  );

test("a notification becomes an event with the contract's event id", () => {
  expect(translated()).toEqual({
    ...notification,
    eventId: "73fc03d10f5d07d43d16f057322c850d",
    stage: "AWAITING_FUNDS",
    direction: "OUTBOUND",
    occurredAt: noon,
    receivedAt: 1,
    source: "WEBHOOK",
    outOfOrder: false,
    fields: {},
  });
});

test("an event holds the fields that are asked for, without own secrets", () => {
  const context = {
    receivedAt: 1,
    source: "NOTIFICATION_LOG" as const,
    facts: NO_FACTS,
    mask: (text: string) => text.replace("hidden", "***"),
    eventFields: [
      { name: "rate", pointer: "/quote/rate" },
      { name: "url", pointer: "/url" },
    ],
  };
  const payload = '{"quote":{"rate":5.10},"url":"/hidden"}';
  expect(translate({ ...notification, payload }, context).fields).toEqual({ rate: "5.10", url: "/***" });
});

test("an absent createdAt counts as empty in the event id", () => {
  // printf 'tx-1\nCANCELED\n' | sha256sum
  expect(translated({ status: "CANCELED", createdAt: "" })).toMatchObject({
    eventId: "39d72bda3af83fa11d130d6654cef741",
    occurredAt: null,
  });
});

test("out of order means strictly earlier than the latest known instant", () => {
  const after = (latestOccurredAt: number | null): TransactionFacts => ({
    direction: "UNKNOWN",
    latestOccurredAt,
  });
  expect(translated({}, after(noon + 1)).outOfOrder).toBe(true);
  expect(translated({}, after(noon)).outOfOrder).toBe(false);
  expect(translated({}, after(null)).outOfOrder).toBe(false);
  expect(translated({ createdAt: "21/11/2026" }, after(noon + 1)).outOfOrder).toBe(false);
});

test.each([
  ["AWAITING_PAYMENT", "AWAITING_FUNDS", "OUTBOUND"],
  ...["SOMETHING_NEW", "canceled", "constructor", "__proto__"].map((status) => [
    status,
    "UNKNOWN",
    "UNKNOWN",
  ]),
])("%s is %s and proves %s", (status = "", stage, proves) => {
  expect(meaningOf(status)).toEqual({ stage, proves });
});

test("a secret that the partner repeats in a createdAt that is no instant is masked, as in the payload", () => {
  const createdAt = '{"url":"https://x.example/s3cret"}';
  const mask = (text: string): string => text.replaceAll("s3cret", "***");
  const context = { receivedAt: 1, source: "WEBHOOK", facts: NO_FACTS, mask, eventFields: [] } as const;
  const event = translate({ ...notification, createdAt, payload: createdAt }, context);
  expect(event.createdAt).toBe('{"url":"https://x.example/***"}');
  expect(event.eventId, "of the text as sent").toBe(eventIdOf({ ...notification, createdAt }));
});
