import { randomUUID } from "node:crypto";
import { forms } from "./api/answers.ts";
import { changedLogRules, defaultLogRules } from "./api/log.ts";
import { createFaults } from "./faults/faults.ts";
import { createDeliveries } from "./notifications/deliveries.ts";
import { createPast, parsePast } from "./notifications/past.ts";
import type { Post } from "./notifications/post.ts";
import type { Settings } from "./options.ts";
import { Newest } from "./runtime/newest.ts";
import { createScheduler } from "./runtime/clock.ts";
import { createQuoteBook } from "./transactions/quotes.ts";
import { createTransactions, type TransactionRequest } from "./transactions/transactions.ts";
import { statusesOf } from "./transactions/walks.ts";
import type { RecordedRequest, Subscription } from "./types.ts";

const keptRequests = 5_000;

/** The state and behaviour of the imitated partner, without the HTTP server in front of it. */
export const createPartner = (settings: Settings, post: Post) => {
  const now = () => settings.clock.now();
  const scaled = (ms: number) => ms / settings.timeScale;
  const scheduler = createScheduler(settings.clock);
  const faults = createFaults();
  const requests = new Newest<RecordedRequest>(keptRequests);
  const subscriptions = new Map<string, Subscription>();
  const retryMs = scaled(settings.retryMs);

  const deliveries = createDeliveries(retryMs, {
    now,
    scheduler,
    faults,
    scaled,
    post,
    bodyOf: (change) => {
      const notification = forms[settings.answers].notification(change);
      const quoteId = settings.nameQuotes ? transactions.quoteIdOf(change.transactionId) : null;
      return JSON.stringify(quoteId === null ? notification : { ...notification, quoteId });
    },
  });
  const past = createPast({ deliveries, now, retryMs, statuses: statusesOf("OUTBOUND", "main") });
  const urls = () => [...subscriptions.keys()];

  const transactions = createTransactions(scaled(settings.stepMs), {
    now,
    scheduler,
    onStatusChange: (change) => urls().forEach((url) => deliveries.notify(url, change)),
  });
  const quotes = createQuoteBook(
    { ...settings, validityMs: scaled(settings.quoteValidityMs) },
    {
      now,
      startTransaction: ({ quoteId, direction }) => {
        const transactionId = randomUUID();
        const { walk } = settings;
        const statuses = statusesOf(direction, walk);
        transactions.start({ transactionId, quoteId, direction, walk, statuses });
        return transactionId;
      },
    },
  );
  const subscribe = (url: string, events: readonly string[]): Subscription => {
    const before = subscriptions.get(url) ?? { subscriptionId: randomUUID(), url, createdAt: now() };
    const subscription = { ...before, events: [...events] };
    subscriptions.set(url, subscription);
    return subscription;
  };
  for (const url of settings.webhookUrls) subscribe(url, ["TRANSACTION_STATUS_UPDATED"]);

  const partner = {
    now,
    scaled,
    faults,
    requests,
    quotes,
    transactions,
    deliveries,
    past,
    subscribe,
    subscriptions: () => [...subscriptions.values()],
    logRules: { ...defaultLogRules, answers: settings.answers },
    startTransactions: (request: TransactionRequest) => {
      const { direction, walk = settings.walk, statuses, transactionId, count } = request;
      const transactionIds = Array.from({ length: count }, () => transactionId ?? randomUUID());
      const start = { quoteId: null, direction, walk, statuses: statuses ?? statusesOf(direction, walk) };
      for (const each of transactionIds) transactions.start({ ...start, transactionId: each });
      return { transactionIds };
    },
    /** Adds notifications with past dates to the log; see POST /_sandbox/log. */
    addPast: (request: unknown) => past.add(parsePast(request), urls()[0]),
    /** Changes the rules of the log; see PUT /_sandbox/log. */
    changeLogRules: (changes: unknown) => (partner.logRules = changedLogRules(partner.logRules, changes)),
    totals: () => ({
      requests: requests.added,
      ...quotes.totals(),
      ...transactions.totals(),
      ...deliveries.totals(),
      pending: deliveries.totals().pending + past.waiting(),
    }),
    /** Stops all timers. */
    close: () => scheduler.close(),
    /** Forgets everything but the settings. */
    reset: () => {
      for (const part of [scheduler, past, quotes, transactions, deliveries, faults, subscriptions, requests])
        part.clear();
      partner.logRules = { ...defaultLogRules, answers: settings.answers };
    },
  };
  return partner;
};

export type Partner = ReturnType<typeof createPartner>;
