import { BoundedMap } from "../runtime/bounded.ts";
import type { AcceptRequest, Direction, Quote, QuoteRequest } from "../types.ts";
import type { Ledger } from "./ledger.ts";

export type QuoteRules = {
  /** Already divided by the time scale. */
  validityMs: number;
  repetition: "conflict" | "same" | "again";
  acceptUnknownQuotes: boolean;
  maxQuotes: number;
};

export type AcceptOutcome =
  | { kind: "executed" | "same"; quoteId: string; transactionId: string | null; acceptedAt: number }
  | { kind: "unknown" | "already-accepted" | "expired" | "not-of-today" };

export type QuoteDeps = {
  now: () => number;
  /** The calendar day of an instant in São Paulo. */
  day: (at: number) => string;
  nextQuoteId: () => string;
  ledger: Ledger;
  /** Starts the transaction of an executed accept, and returns its id. */
  startTransaction: (start: { quoteId: string; direction: Direction; accept: AcceptRequest }) => string;
};

export const createQuoteBook = (rules: QuoteRules, deps: QuoteDeps) => {
  const quotes = new BoundedMap<Quote>(rules.maxQuotes);
  let created = 0;
  let repetitions = 0;

  const execute = (quoteId: string, quote: Quote | undefined, accept: AcceptRequest): AcceptOutcome => {
    const direction = quote?.direction ?? "OUTBOUND";
    const executions = deps.ledger.execute(quoteId);
    const transactionId = deps.startTransaction({ quoteId, direction, accept });
    const acceptedAt = deps.now();
    if (quote) {
      quote.executions = executions;
      quote.acceptedAt ??= acceptedAt;
      quote.accept ??= accept;
      quote.transactionIds.push(transactionId);
    }
    return { kind: "executed", quoteId, transactionId, acceptedAt };
  };

  const repeat = (quoteId: string, quote: Quote | undefined, accept: AcceptRequest): AcceptOutcome => {
    repetitions += 1;
    switch (rules.repetition) {
      case "conflict":
        return { kind: "already-accepted" };
      case "same":
        return {
          kind: "same",
          quoteId,
          transactionId: quote?.transactionIds[0] ?? null,
          acceptedAt: quote?.acceptedAt ?? deps.now(),
        };
      case "again":
        return execute(quoteId, quote, accept);
    }
  };

  return {
    create: (request: QuoteRequest): Quote => {
      const createdAt = deps.now();
      const quote: Quote = {
        ...request,
        quoteId: deps.nextQuoteId(),
        createdAt,
        expiresAt: createdAt + rules.validityMs,
        executions: 0,
        acceptedAt: null,
        accept: null,
        transactionIds: [],
      };
      created += 1;
      quotes.add(quote.quoteId, quote);
      return quote;
    },

    /** Executes and counts the accept, unless it must be refused. */
    accept: (quoteId: string, request: AcceptRequest): AcceptOutcome => {
      const quote = quotes.get(quoteId);
      // The ledger decides what is a repetition, because it remembers for longer than quotes are kept.
      if (deps.ledger.executionsOf(quoteId) > 0) return repeat(quoteId, quote, request);
      if (!quote) return rules.acceptUnknownQuotes ? execute(quoteId, quote, request) : { kind: "unknown" };
      const now = deps.now();
      if (deps.day(now) !== deps.day(quote.createdAt)) return { kind: "not-of-today" };
      if (now >= quote.expiresAt) return { kind: "expired" };
      return execute(quoteId, quote, request);
    },

    totals: () => ({ created, repetitions }),
    newest: (limit?: number) => quotes.newest(limit),
    get: (quoteId: string) => quotes.get(quoteId),
    clear: () => {
      created = repetitions = 0;
      quotes.clear();
    },
  };
};

export type QuoteBook = ReturnType<typeof createQuoteBook>;
