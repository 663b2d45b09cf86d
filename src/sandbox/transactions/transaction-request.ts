import { fail, fieldsFrom } from "../runtime/wrong-input.ts";
import type { Direction } from "../types.ts";
import { isWalk, walkNames, type Walk } from "./walks.ts";

/** Starts transactions without an accept, as money orders from abroad do. */
export type TransactionRequest = {
  direction: Direction;
  walk: Walk | null;
  /** Replaces the statuses of the walk; any text, to test how a client handles unknown statuses. */
  statuses: string[] | null;
  transactionId: string | null;
  count: number;
};

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

/** Reads POST /_sandbox/transactions; throws a WrongInput. */
export const parseTransactionRequest = (value: unknown): TransactionRequest => {
  const fields = fieldsFrom(value, ["direction", "walk", "statuses", "transactionId", "count"]);
  const { direction = "OUTBOUND", walk = null, statuses = null, transactionId = null, count = 1 } = fields;
  if (direction !== "INBOUND" && direction !== "OUTBOUND")
    return fail("direction must be INBOUND or OUTBOUND");
  if (walk !== null && !isWalk(walk)) return fail(`walk must be one of ${walkNames.join(", ")}`);
  if (statuses !== null && !(Array.isArray(statuses) && statuses.every(isText)))
    return fail("statuses must be an array of strings");
  if (transactionId !== null && !isText(transactionId)) return fail("transactionId must be a string");
  if (!Number.isInteger(count) || Number(count) < 1 || Number(count) > 100_000)
    return fail("count must be a whole number from 1 to 100000");
  if (transactionId !== null && count !== 1) return fail("count must be 1 where transactionId is given");
  return { direction, walk, statuses, transactionId, count: Number(count) };
};
