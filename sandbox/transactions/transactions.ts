import { Newest } from "../runtime/newest.ts";
import { jittered, type Scheduler } from "../runtime/clock.ts";
import { choiceIn, fail, fieldsFrom, numberIn } from "../runtime/wrong-input.ts";
import type { Change, Direction, Transaction } from "../types.ts";
import { walkNames, type Walk } from "./walks.ts";

/** Starts transactions without an accept, as money orders from abroad do. */
export type TransactionRequest = {
  direction: Direction;
  walk: Walk | undefined;
  /** Replaces the statuses of the walk; any text, to test how a client handles unknown statuses. */
  statuses: readonly string[] | undefined;
  transactionId: string | undefined;
  count: number;
};

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

/** Reads POST /_sandbox/transactions; throws a WrongInput. */
export const parseTransactionRequest = (value: unknown): TransactionRequest => {
  const fields = fieldsFrom(value, ["direction", "walk", "statuses", "transactionId", "count"]);
  const { statuses, transactionId } = fields;
  const count = Math.trunc(numberIn(fields, "count", 1, 1, 100_000));
  if (statuses !== undefined && !(Array.isArray(statuses) && statuses.every(isText)))
    return fail("statuses must be an array of strings");
  if (transactionId !== undefined && !isText(transactionId)) return fail("transactionId must be a string");
  if (transactionId !== undefined && count !== 1) return fail("count must be 1 where transactionId is given");
  return {
    direction: choiceIn(fields, "direction", ["OUTBOUND", "INBOUND"], "OUTBOUND"),
    walk: fields["walk"] === undefined ? undefined : choiceIn(fields, "walk", walkNames),
    statuses,
    transactionId,
    count,
  };
};

type TransactionStart = Omit<Transaction, "statuses"> & { statuses: readonly string[] };

type TransactionDeps = {
  now: () => number;
  scheduler: Scheduler;
  /** Called for each status, including the first one. */
  onStatusChange: (change: Change) => void;
};

const keptTransactions = 5_000;
/** Bounds the memory: beyond this number a transaction stays at its first status. */
const maxWalking = 100_000;

/** @param stepMs mean time between two statuses, already divided by the time scale */
export const createTransactions = (stepMs: number, deps: TransactionDeps) => {
  const kept = new Newest<Transaction>(keptTransactions);
  let transactions = 0;
  let walking = 0;

  const enter = (transaction: Transaction, status: string, createdAt: number) => {
    transaction.statuses.push({ status, createdAt });
    deps.onStatusChange({ transactionId: transaction.transactionId, status, createdAt });
  };

  const walkOn = (transaction: Transaction, [status, ...later]: readonly string[], from: number) => {
    if (status === undefined) {
      walking -= 1;
      return;
    }
    const dueAt = Math.round(from + jittered(stepMs));
    deps.scheduler.at(dueAt, () => {
      enter(transaction, status, dueAt);
      walkOn(transaction, later, dueAt);
    });
  };

  return {
    start: ({ statuses: [first, ...later], ...start }: TransactionStart) => {
      const transaction: Transaction = { ...start, statuses: [] };
      const now = deps.now();
      transactions += 1;
      if (!kept.get(start.transactionId)) kept.add(transaction, start.transactionId);
      if (first !== undefined) enter(transaction, first, now);
      if (later.length === 0 || walking >= maxWalking) return;
      walking += 1;
      walkOn(transaction, later, now);
    },
    quoteIdOf: (transactionId: string) => kept.get(transactionId)?.quoteId ?? null,
    newest: (limit?: number) => kept.newest(limit),
    totals: () => ({ transactions, walking }),
    clear: () => {
      transactions = walking = 0;
      kept.clear();
    },
  };
};
