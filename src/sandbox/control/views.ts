import type { SimulatedPartner } from "../simulated-partner.ts";
import type { Delivery, Quote, RecordedRequest, Subscription, Transaction } from "../types.ts";

const iso = (at: number): string => new Date(at).toISOString();
const isoOrNull = (at: number | null): string | null => (at === null ? null : iso(at));

// The JSON of /_sandbox/state: instants in ISO 8601, bodies as text and as base64 of the exact bytes.

export const quoteView = (quote: Quote, now: number) => ({
  ...quote,
  state: quote.executions > 0 ? "accepted" : now >= quote.expiresAt ? "expired" : "created",
  createdAt: iso(quote.createdAt),
  expiresAt: iso(quote.expiresAt),
  acceptedAt: isoOrNull(quote.acceptedAt),
});

export const transactionView = (transaction: Transaction) => ({
  ...transaction,
  status: transaction.statuses.at(-1)?.status ?? null,
  statuses: transaction.statuses.map(({ status, createdAt }) => ({ status, createdAt: iso(createdAt) })),
});

export const subscriptionView = (subscription: Subscription) => ({
  ...subscription,
  createdAt: iso(subscription.createdAt),
});

export const deliveryView = (delivery: Delivery) => ({
  ...delivery,
  createdAt: iso(delivery.createdAt),
  nextAttemptAt: isoOrNull(delivery.nextAttemptAt),
  attempts: delivery.attempts.map((attempt) => ({
    ...attempt,
    dueAt: iso(attempt.dueAt),
    startedAt: iso(attempt.startedAt),
  })),
});

export const lostView = ({ count, notifications }: ReturnType<SimulatedPartner["lost"]>) => ({
  count,
  notifications: notifications.map(({ transactionId, status, createdAt, url, state }) => ({
    transactionId,
    status,
    createdAt: iso(createdAt),
    url,
    state,
  })),
});

const pairsOf = (rawHeaders: readonly string[]): [string, string][] =>
  Array.from({ length: rawHeaders.length >> 1 }, (_, pair) => [
    rawHeaders[2 * pair] ?? "",
    rawHeaders[2 * pair + 1] ?? "",
  ]);

export const requestView = (request: RecordedRequest) => ({
  at: iso(request.at),
  method: request.method,
  target: request.target,
  operation: request.operation,
  answered: request.answered,
  faults: request.faults,
  /** Names and values, in their original order and case. */
  headers: pairsOf(request.rawHeaders),
  body: request.body.toString("utf8"),
  bodyBase64: request.body.toString("base64"),
});
