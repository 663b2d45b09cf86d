import { formatInstant } from "./api/answers/created-at.ts";
import { profiles } from "./api/answers/profiles.ts";
import type { AnswersProfile, Stamp } from "./api/answers/types.ts";
import { changedLogRules } from "./api/log/log-rules.ts";
import { createLogResponder } from "./api/log/read-log.ts";
import { createFaults } from "./faults/faults.ts";
import { createDeliveries } from "./notifications/deliveries.ts";
import { createNotifications } from "./notifications/notifications.ts";
import { createPastNotifications, parsePastRequest } from "./notifications/past-notifications.ts";
import type { Poster } from "./notifications/post.ts";
import { createSentLog } from "./notifications/sent-log.ts";
import { signatureHeaders } from "./notifications/sign.ts";
import { createSubscriptions } from "./notifications/subscriptions.ts";
import type { Settings } from "./options.ts";
import { Ring } from "./runtime/bounded.ts";
import { numberFrom, randomFrom, uuidFrom, type Random } from "./runtime/random.ts";
import { createScheduler } from "./runtime/scheduler.ts";
import { stories } from "./stories.ts";
import { createLedger } from "./transactions/ledger.ts";
import type { TransactionRequest } from "./transactions/transaction-request.ts";
import { createQuoteBook } from "./transactions/quotes.ts";
import { createTransactions } from "./transactions/transactions.ts";
import { isWalk, statusesOf } from "./transactions/walks.ts";
import type { Change, RecordedRequest } from "./types.ts";

const walkPrefix = "walk:";

/** The state and behaviour of the imitated partner, without the HTTP server in front of it. */
export const createSimulatedPartner = (
  settings: Settings,
  deps: { poster: Poster; days: Record<"sao-paulo" | "utc", (at: number) => string> },
) => {
  const { clock, seed } = settings;
  const now = () => clock.now();
  const scaled = (ms: number) => ms / settings.timeScale;
  const randomFor = (label: string) => randomFrom(seed, label);
  const profile: AnswersProfile = profiles[settings.answers];
  const idFrom = (random: Random) => (profile.ids === "number" ? numberFrom(random) : uuidFrom(random));
  const idsFrom = (label: string) => {
    const random = randomFor(label);
    return () => idFrom(random);
  };
  const nextTransactionId = idsFrom("transactions");
  const nextDeliveryId = idsFrom("deliveries");
  const stamp: Stamp = (at) => formatInstant(settings.createdAtFormat ?? profile.createdAt, at);
  const defaultWalk = settings.walk ?? (settings.story === null ? "main" : stories[settings.story].walk);

  const scheduler = createScheduler(clock);
  const ledger = createLedger(settings.ledger);
  const faults = createFaults(seed);
  const seen = new Ring<RecordedRequest>(settings.history);
  const counters = { requests: 0 };
  const subscriptions = createSubscriptions({ now, nextId: idsFrom("subscriptions") });
  const { jitter, history } = settings;
  const sentLog = createSentLog(settings.logEntries);
  const bodyOf = (change: Change) => JSON.stringify(profile.notification(change, stamp));

  const deliveries = createDeliveries(
    { retryMs: scaled(settings.retryMs), jitter, history },
    {
      now,
      scheduler,
      sentLog,
      randomFor,
      post: (url, body, headers) => deps.poster.post(url, body, headers),
      headersFor: ({ deliveryId: id, body, forged }) => ({
        "content-type": "application/json",
        "user-agent": "partner-sandbox",
        // Receivers compare a signature's time with their own clock, so it is real time, not that of the
        // sandbox's clock.
        ...(settings.signing && signatureHeaders(settings.signing, { id, body, sentAt: Date.now(), forged })),
      }),
    },
  );
  const notifications = createNotifications({
    subscriptions,
    deliveries,
    sentLog,
    faults,
    scheduler,
    nextDeliveryId,
    bodyOf,
    scaled,
    longestHoldMs: scaled(3 * settings.stepMs),
  });
  const past = createPastNotifications({
    seed,
    subscriptions,
    deliveries,
    sentLog,
    statuses: statusesOf("OUTBOUND", "main"),
    now,
    nextDeliveryId,
    idFrom,
    bodyOf,
  });
  const logResponder = createLogResponder({
    rules: settings.log,
    sentLog,
    profile,
    stamp,
    now,
    days: deps.days,
    scaled,
    random: randomFor("order of the log"),
  });
  const transactions = createTransactions(
    { stepMs: scaled(settings.stepMs), jitter, history },
    {
      now,
      scheduler,
      randomFor,
      onStatusChange: ({ transactionId }, change) => notifications.notify({ transactionId, ...change }),
    },
  );
  const quotes = createQuoteBook(
    {
      validityMs: scaled(settings.quoteValidityMs),
      repetition: settings.repetition,
      acceptUnknownQuotes: settings.acceptUnknownQuotes,
      maxQuotes: settings.maxQuotes,
    },
    {
      now,
      day: deps.days["sao-paulo"],
      nextQuoteId: idsFrom("quotes"),
      ledger,
      startTransaction: ({ quoteId, direction, accept }) => {
        const transactionId = nextTransactionId();
        const { counterpartyId } = accept;
        const walk = counterpartyId.startsWith(walkPrefix) ? counterpartyId.slice(walkPrefix.length) : null;
        transactions.start({ transactionId, quoteId, direction, walk: isWalk(walk) ? walk : defaultWalk });
        return transactionId;
      },
    },
  );

  for (const url of settings.webhookUrls) subscriptions.subscribe(url, ["TRANSACTION_STATUS_UPDATED"]);

  return {
    settings,
    profile,
    stamp,
    now,
    quotes,
    ledger,
    transactions,
    subscriptions,
    deliveries,
    logResponder,
    faults,
    requests: seen,
    counters,
    startTransactions: ({ direction, walk, statuses, transactionId, count }: TransactionRequest) => {
      const transactionIds = Array.from({ length: count }, () => transactionId ?? nextTransactionId());
      for (const each of transactionIds)
        transactions.start({
          transactionId: each,
          quoteId: null,
          direction,
          walk: walk ?? defaultWalk,
          ...(statuses && { statuses }),
        });
      return { transactionIds };
    },
    /** Adds notifications with past dates to the log; see POST /_sandbox/log. */
    addPastNotifications: (request: unknown) => past.add(parsePastRequest(request)),
    /** Changes the rules of the log; see PUT /_sandbox/log. */
    changeLogRules: (changes: unknown) => (logResponder.rules = changedLogRules(logResponder.rules, changes)),
    /** Notifications that were never delivered, newest first. */
    lost: (limit: number) => sentLog.lost(limit, now()),
    summary: () => ({
      timeScale: settings.timeScale,
      seed,
      story: settings.story,
      answers: settings.answers,
      repetition: settings.repetition,
      walk: defaultWalk,
      startedAt: new Date(settings.startAt).toISOString(),
      now: new Date(now()).toISOString(),
    }),
    totals: (): Record<string, number | boolean> => {
      const { executions, quotes: executedQuotes, executedTwiceCount, exact } = ledger.totals();
      return {
        requests: counters.requests,
        ...quotes.totals(),
        executions,
        executedQuotes,
        executedTwice: executedTwiceCount,
        exact,
        ...transactions.totals(),
        ...deliveries.totals(),
        toSend: past.waiting(),
      };
    },
    /** Stops all timers. */
    close: () => scheduler.close(),
    /** Clears quotes, transactions, subscriptions, deliveries, faults, requests and all counters. */
    reset: () => {
      scheduler.clear();
      notifications.clear();
      past.clear();
      sentLog.clear();
      logResponder.rules = settings.log;
      quotes.clear();
      ledger.clear();
      transactions.clear();
      subscriptions.clear();
      deliveries.clear();
      faults.clear();
      seen.clear();
      counters.requests = 0;
    },
  };
};

export type SimulatedPartner = ReturnType<typeof createSimulatedPartner>;
