import type { Direction } from "../types.ts";

const registered = ["CONTRACT_IN_PROGRESS", "REGISTERED_TRANSACTION"];
const settled = ["SETTLEMENT_IN_PROGRESS", ...registered, "TRANSACTION_COMPLETED"];

const outbound = {
  main: ["AWAITING_PAYMENT", "PAYMENT_CONFIRMED", ...settled],
  canceled: ["AWAITING_PAYMENT", "CANCELED"],
  refunded: ["AWAITING_PAYMENT", "PAYMENT_CONFIRMED", "CANCELED", "REFUNDED"],
  "payment-issue": ["AWAITING_PAYMENT", "PAYMENT_ISSUE", "PAYMENT_CONFIRMED", ...settled],
  "document-issue": ["AWAITING_PAYMENT", "PAYMENT_CONFIRMED", "TRANSACTION_DOCUMENT_ISSUE", ...settled],
  "invalid-proof": ["AWAITING_PAYMENT", "INVALID_PROOF_OF_PAYMENT", "CANCELED"],
  "settlement-issue": [
    "AWAITING_PAYMENT",
    "PAYMENT_CONFIRMED",
    "SETTLEMENT_IN_PROGRESS",
    ...registered,
    "SETTLEMENT_ISSUE",
  ],
  still: ["AWAITING_PAYMENT"],
} as const satisfies Record<string, readonly string[]>;

const inbound = {
  main: ["AWAITING_MONEY_ORDER", "TRANSACTION_IN_PROGRESS", ...registered, "TRANSACTION_COMPLETED"],
  canceled: ["AWAITING_MONEY_ORDER", "CANCELED"],
  "settlement-issue": ["AWAITING_MONEY_ORDER", "TRANSACTION_IN_PROGRESS", ...registered, "SETTLEMENT_ISSUE"],
  still: ["AWAITING_MONEY_ORDER"],
} as const satisfies Record<string, readonly string[]>;

/**
 * The sequences of statuses that a transaction may go through, by name. `main` is from the specification,
 * which shows no other transition: all other walks are choices of the sandbox. `still` stays at the first
 * status.
 */
export type Walk = keyof typeof outbound;

export const walkNames = Object.keys(outbound) as Walk[];

export const isWalk = (name: unknown): name is Walk =>
  typeof name === "string" && (walkNames as string[]).includes(name);

/** The statuses of a walk. A walk that exists only for OUTBOUND is `main` for INBOUND. */
export const statusesOf = (direction: Direction, walk: Walk): readonly string[] =>
  direction === "OUTBOUND"
    ? outbound[walk]
    : walk in inbound
      ? inbound[walk as keyof typeof inbound]
      : inbound.main;
