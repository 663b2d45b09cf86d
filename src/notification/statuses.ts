import type { Direction, Stage } from "../records.ts";

/** What a status means for its transaction. `proves` is UNKNOWN for a status of both directions. */
export type StatusMeaning = { readonly stage: Stage; readonly proves: Direction };

/** docs/events.md has the same table. */
export const KNOWN_STATUSES = {
  AWAITING_PAYMENT: { stage: "AWAITING_FUNDS", proves: "OUTBOUND" },
  AWAITING_MONEY_ORDER: { stage: "AWAITING_FUNDS", proves: "INBOUND" },
  PAYMENT_CONFIRMED: { stage: "IN_PROGRESS", proves: "OUTBOUND" },
  SETTLEMENT_IN_PROGRESS: { stage: "IN_PROGRESS", proves: "OUTBOUND" },
  TRANSACTION_IN_PROGRESS: { stage: "IN_PROGRESS", proves: "INBOUND" },
  CONTRACT_IN_PROGRESS: { stage: "IN_PROGRESS", proves: "UNKNOWN" },
  REGISTERED_TRANSACTION: { stage: "IN_PROGRESS", proves: "UNKNOWN" },
  TRANSACTION_COMPLETED: { stage: "COMPLETED", proves: "UNKNOWN" },
  PAYMENT_ISSUE: { stage: "ISSUE", proves: "OUTBOUND" },
  TRANSACTION_DOCUMENT_ISSUE: { stage: "ISSUE", proves: "OUTBOUND" },
  INVALID_PROOF_OF_PAYMENT: { stage: "ISSUE", proves: "OUTBOUND" },
  SETTLEMENT_ISSUE: { stage: "ISSUE", proves: "UNKNOWN" },
  CANCELED: { stage: "CANCELED", proves: "UNKNOWN" },
  REFUNDED: { stage: "REFUNDED", proves: "OUTBOUND" },
} as const satisfies Record<string, StatusMeaning>;

// A Map, because the key is the partner's text: an object also has members such as "constructor".
const MEANINGS: ReadonlyMap<string, StatusMeaning> = new Map(Object.entries(KNOWN_STATUSES));
const UNKNOWN_STATUS: StatusMeaning = { stage: "UNKNOWN", proves: "UNKNOWN" };

export const meaningOf = (status: string): StatusMeaning => MEANINGS.get(status) ?? UNKNOWN_STATUS;
