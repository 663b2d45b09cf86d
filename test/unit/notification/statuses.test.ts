import { expect, test } from "vitest";
import { meaningOf } from "../../../src/notification/statuses.ts";

/** The statuses of a transaction in which nothing goes wrong, in order. */
const USUAL_STATUSES = {
  INBOUND: [
    "AWAITING_MONEY_ORDER",
    "TRANSACTION_IN_PROGRESS",
    "CONTRACT_IN_PROGRESS",
    "REGISTERED_TRANSACTION",
    "TRANSACTION_COMPLETED",
  ],
  OUTBOUND: [
    "AWAITING_PAYMENT",
    "PAYMENT_CONFIRMED",
    "SETTLEMENT_IN_PROGRESS",
    "CONTRACT_IN_PROGRESS",
    "REGISTERED_TRANSACTION",
    "TRANSACTION_COMPLETED",
  ],
  UNKNOWN: [],
} as const;

test.each([
  ["AWAITING_PAYMENT", "AWAITING_FUNDS", "OUTBOUND"],
  ["AWAITING_MONEY_ORDER", "AWAITING_FUNDS", "INBOUND"],
  ["PAYMENT_CONFIRMED", "IN_PROGRESS", "OUTBOUND"],
  ["SETTLEMENT_IN_PROGRESS", "IN_PROGRESS", "OUTBOUND"],
  ["TRANSACTION_IN_PROGRESS", "IN_PROGRESS", "INBOUND"],
  ["CONTRACT_IN_PROGRESS", "IN_PROGRESS", "UNKNOWN"],
  ["REGISTERED_TRANSACTION", "IN_PROGRESS", "UNKNOWN"],
  ["TRANSACTION_COMPLETED", "COMPLETED", "UNKNOWN"],
  ["PAYMENT_ISSUE", "ISSUE", "OUTBOUND"],
  ["TRANSACTION_DOCUMENT_ISSUE", "ISSUE", "OUTBOUND"],
  ["INVALID_PROOF_OF_PAYMENT", "ISSUE", "OUTBOUND"],
  ["SETTLEMENT_ISSUE", "ISSUE", "UNKNOWN"],
  ["CANCELED", "CANCELED", "UNKNOWN"],
  ["REFUNDED", "REFUNDED", "OUTBOUND"],
  ["SOMETHING_NEW", "UNKNOWN", "UNKNOWN"],
  ["canceled", "UNKNOWN", "UNKNOWN"],
  ["constructor", "UNKNOWN", "UNKNOWN"],
  ["__proto__", "UNKNOWN", "UNKNOWN"],
])("%s is %s and proves %s", (status, stage, proves) => {
  expect(meaningOf(status)).toEqual({ stage, proves });
});

test.each(["INBOUND", "OUTBOUND"] as const)(
  "no status of the main flow of %s proves the other direction",
  (direction) => {
    const proved = USUAL_STATUSES[direction].map((status) => meaningOf(status).proves);
    expect(new Set(proved)).toEqual(new Set([direction, "UNKNOWN"]));
    expect(USUAL_STATUSES[direction].map((status) => meaningOf(status).stage).at(-1)).toBe("COMPLETED");
    expect(new Set(USUAL_STATUSES[direction]).size).toBe(USUAL_STATUSES[direction].length);
  },
);
