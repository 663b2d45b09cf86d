import { randomUUID } from "node:crypto";
import { days } from "../runtime/calendar.ts";
import { Newest } from "../runtime/newest.ts";
import type { AcceptRequest, Direction, Quote, QuoteRequest } from "../types.ts";

const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

/** A UUID names the same quote in upper and lower case: who sends an accept for both has accepted it twice. */
export const canonicalId = (quoteId: string): string =>
  uuid.test(quoteId) ? quoteId.toLowerCase() : quoteId;

type QuoteRules = {
  /** Already divided by the time scale. */
  validityMs: number;
  repetition: "conflict" | "same" | "again";
  acceptUnknownQuotes: boolean;
};

type AcceptOutcome =
  | { kind: "executed" | "same"; quoteId: string; transactionId: string | null; acceptedAt: number }
  | { kind: "unknown" | "already-accepted" | "expired" | "not-of-today" };

type QuoteDeps = {
  now: () => number;
  /** Starts the transaction of an executed accept, and returns its id. */
  startTransaction: (start: { quoteId: string; direction: Direction }) => string;
};

const keptQuotes = 50_000;

export const createQuoteBook = (rules: QuoteRules, deps: QuoteDeps) => {
  const quotes = new Newest<Quote>(keptQuotes);
  /** How many accepts of each quote were executed. Never forgotten: it is what the sandbox is for. */
  const executions = new Map<string, number>();
  let executed = 0;
  let created = 0;
  let repetitions = 0;

  const execute = (quoteId: string, quote: Quote | undefined, accept: AcceptRequest): AcceptOutcome => {
    const count = (executions.get(quoteId) ?? 0) + 1;
    executions.set(quoteId, count);
    executed += 1;
    const transactionId = deps.startTransaction({ quoteId, direction: quote?.direction ?? "OUTBOUND" });
    const acceptedAt = deps.now();
    if (quote) {
      quote.executions = count;
      quote.acceptedAt ??= acceptedAt;
      quote.accept ??= accept;
      quote.transactionIds.push(transactionId);
    }
    return { kind: "executed", quoteId, transactionId, acceptedAt };
  };

  const repeat = (quoteId: string, quote: Quote | undefined, accept: AcceptRequest): AcceptOutcome => {
    repetitions += 1;
    if (rules.repetition === "conflict") return { kind: "already-accepted" };
    if (rules.repetition === "again") return execute(quoteId, quote, accept);
    const [transactionId = null] = quote?.transactionIds ?? [];
    return { kind: "same", quoteId, transactionId, acceptedAt: quote?.acceptedAt ?? deps.now() };
  };

  return {
    create: (request: QuoteRequest): Quote => {
      const [quoteId, createdAt] = [randomUUID(), deps.now()];
      const untouched = { executions: 0, acceptedAt: null, accept: null, transactionIds: [] };
      const expiresAt = createdAt + rules.validityMs;
      const quote: Quote = { ...request, quoteId, createdAt, expiresAt, ...untouched };
      created += 1;
      quotes.add(quote, quoteId);
      return quote;
    },

    /** Executes and counts the accept, unless it must be refused. */
    accept: (quoteId: string, request: AcceptRequest): AcceptOutcome => {
      const quote = quotes.get(quoteId);
      if (executions.has(quoteId)) return repeat(quoteId, quote, request);
      if (!quote) return rules.acceptUnknownQuotes ? execute(quoteId, quote, request) : { kind: "unknown" };
      const now = deps.now();
      if (days["sao-paulo"](now) !== days["sao-paulo"](quote.createdAt)) return { kind: "not-of-today" };
      return now >= quote.expiresAt ? { kind: "expired" } : execute(quoteId, quote, request);
    },

    executionsOf: (quoteId: string) => executions.get(quoteId) ?? 0,
    /** Those that were executed more than once. */
    executedTwice: () =>
      [...executions].flatMap(([quoteId, count]) => (count > 1 ? [{ quoteId, executions: count }] : [])),
    totals: () => ({ created, repetitions, executions: executed, executedQuotes: executions.size }),
    newest: (limit?: number) => quotes.newest(limit),
    clear: () => {
      executed = created = repetitions = 0;
      executions.clear();
      quotes.clear();
    },
  };
};

export type QuoteBook = ReturnType<typeof createQuoteBook>;
