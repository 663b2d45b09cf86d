import type { Direction } from "../types.ts";

const registered = ["CONTRACT_IN_PROGRESS", "REGISTERED_TRANSACTION", "TRANSACTION_COMPLETED"];

/**
 * The sequences of statuses that a transaction may go through, by name. `main` is from the specification,
 * which shows no other transition: all other walks are choices of the sandbox. `still` stays at the first
 * status.
 */
const walks = {
  main: {
    OUTBOUND: ["AWAITING_PAYMENT", "PAYMENT_CONFIRMED", "SETTLEMENT_IN_PROGRESS", ...registered],
    INBOUND: ["AWAITING_MONEY_ORDER", "TRANSACTION_IN_PROGRESS", ...registered],
  },
  canceled: {
    OUTBOUND: ["AWAITING_PAYMENT", "CANCELED"],
    INBOUND: ["AWAITING_MONEY_ORDER", "CANCELED"],
  },
  refunded: {
    OUTBOUND: ["AWAITING_PAYMENT", "PAYMENT_CONFIRMED", "CANCELED", "REFUNDED"],
    INBOUND: ["AWAITING_MONEY_ORDER", "CANCELED", "REFUNDED"],
  },
  still: { OUTBOUND: ["AWAITING_PAYMENT"], INBOUND: ["AWAITING_MONEY_ORDER"] },
} as const satisfies Record<string, Record<Direction, readonly string[]>>;

export type Walk = keyof typeof walks;

export const walkNames = Object.keys(walks) as Walk[];

export const statusesOf = (direction: Direction, walk: Walk): readonly string[] => walks[walk][direction];
