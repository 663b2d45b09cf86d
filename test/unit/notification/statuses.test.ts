import { expect, test } from "vitest";
import { meaningOf } from "../../../src/notification/translate.ts";

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
