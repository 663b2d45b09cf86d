import { BoundedMap } from "../runtime/bounded.ts";
import { jittered, type Random } from "../runtime/random.ts";
import type { Scheduler } from "../runtime/scheduler.ts";
import type { Direction, Transaction } from "../types.ts";
import { statusesOf, type Walk } from "./walks.ts";

export type WalkRules = {
  /** Mean time between two statuses, already divided by the time scale. */
  stepMs: number;
  jitter: number;
  history: number;
};

export type TransactionStart = {
  transactionId: string;
  quoteId: string | null;
  direction: Direction;
  walk: Walk;
  /** Replace those of the walk. */
  statuses?: readonly string[];
};

export type TransactionDeps = {
  now: () => number;
  scheduler: Scheduler;
  /** Each transaction has its own random stream, so that its dates do not depend on other transactions. */
  randomFor: (label: string) => Random;
  /** Called for each status, including the first one. */
  onStatusChange: (transaction: Transaction, change: { status: string; createdAt: number }) => void;
};

/** Bounds the memory: beyond this number a transaction stays at its first status. */
const maxWalking = 100_000;

export const createTransactions = (rules: WalkRules, deps: TransactionDeps) => {
  const kept = new BoundedMap<Transaction>(rules.history);
  let transactions = 0;
  let walking = 0;
  let notWalked = 0;
  let statusChanges = 0;

  const enter = (transaction: Transaction, status: string, createdAt: number) => {
    const change = { status, createdAt };
    transaction.statuses.push(change);
    statusChanges += 1;
    deps.onStatusChange(transaction, change);
  };

  // A status gets its planned date, not that of the timer: the same seed gives the same dates.
  const plan = (transaction: Transaction, rest: readonly string[], from: number, random: Random) => {
    const [status, ...later] = rest;
    if (status === undefined) {
      walking -= 1;
      return;
    }
    const dueAt = Math.round(from + jittered(random, rules.stepMs, rules.jitter));
    deps.scheduler.at(dueAt, () => {
      enter(transaction, status, dueAt);
      plan(transaction, later, dueAt, random);
    });
  };

  return {
    start: ({ transactionId, quoteId, direction, walk, statuses }: TransactionStart) => {
      const transaction: Transaction = { transactionId, quoteId, direction, walk, statuses: [] };
      const [first, ...later] = statuses ?? statusesOf(direction, walk);
      const now = deps.now();
      transactions += 1;
      if (!kept.get(transactionId)) kept.add(transactionId, transaction);
      if (first !== undefined) enter(transaction, first, now);
      if (later.length === 0) return;
      if (walking >= maxWalking) notWalked += 1;
      else {
        walking += 1;
        plan(transaction, later, now, deps.randomFor(transactionId));
      }
    },
    newest: (limit?: number) => kept.newest(limit),
    get: (transactionId: string) => kept.get(transactionId),
    totals: () => ({ transactions, walking, notWalked, statusChanges }),
    clear: () => {
      transactions = walking = notWalked = statusChanges = 0;
      kept.clear();
    },
  };
};
