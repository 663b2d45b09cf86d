import { parseFaultRule } from "../faults/fault-rules.ts";
import { json, type Answer } from "../runtime/answer.ts";
import { WrongInput } from "../runtime/wrong-input.ts";
import { parseTransactionRequest } from "../transactions/transaction-request.ts";
import { canonicalId } from "../transactions/quote-id.ts";
import type { SimulatedPartner } from "../simulated-partner.ts";
import {
  deliveryView,
  lostView,
  quoteView,
  requestView,
  subscriptionView,
  transactionView,
} from "./views.ts";

export const controlPrefix = "/_sandbox/";

const problem = (status: number, message: string): Answer => json(status, { error: message });

const parsed = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    throw new WrongInput("the body must be JSON");
  }
};

const idsOf = (value: unknown): string[] => {
  if (!Array.isArray(value) || !value.every((id): id is string => typeof id === "string"))
    throw new WrongInput("the body must be a list of quoteIds");
  return value.map(canonicalId);
};

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);

/** The answer of GET /_sandbox/state, lists newest first; `limit` bounds each list. */
const stateOf = (partner: SimulatedPartner, limit: number | undefined) => ({
  settings: partner.summary(),
  totals: partner.totals(),
  quotes: partner.quotes
    .newest(Math.min(limit ?? Infinity, partner.settings.history))
    .map((quote) => quoteView(quote, partner.now())),
  transactions: partner.transactions.newest(limit).map(transactionView),
  subscriptions: partner.subscriptions.list().map(subscriptionView),
  deliveries: partner.deliveries.newest(limit).map(deliveryView),
  lost: lostView(partner.lost(limit ?? partner.settings.history)),
  requests: partner.requests.newest(limit).map(requestView),
  faults: partner.faults.list(),
});

type Call = { partner: SimulatedPartner; id: string; query: URLSearchParams; body: Buffer };

const limitOf = (query: URLSearchParams): number | undefined => {
  const limit = query.get("limit");
  return limit !== null && /^\d+$/.test(limit) ? Number(limit) : undefined;
};

const state = ({ partner, query }: Call): Answer => {
  const whole = stateOf(partner, limitOf(query));
  const only = query.get("only")?.split(",");
  return json(
    200,
    only ? Object.fromEntries(Object.entries(whole).filter(([name]) => only.includes(name))) : whole,
  );
};

/** The control API by method and path; an id follows a path that ends in `/`. */
const routes: Record<string, (call: Call) => Answer> = {
  "GET state": state,
  "GET executions": ({ partner }) =>
    json(200, { ...partner.ledger.totals(), repetitions: partner.quotes.totals().repetitions }),
  "GET executions/": ({ partner, id }) =>
    json(200, { quoteId: id, executions: partner.ledger.executionsOf(id) }),
  "POST executions": ({ partner, body }) =>
    json(200, { executions: idsOf(parsed(body)).map((id) => partner.ledger.executionsOf(id)) }),
  "GET quotes/": ({ partner, id }) => {
    const quote = partner.quotes.get(id);
    return quote ? json(200, quoteView(quote, partner.now())) : problem(404, "no such quote is remembered");
  },
  "GET transactions/": ({ partner, id }) => {
    const transaction = partner.transactions.get(id);
    return transaction
      ? json(200, transactionView(transaction))
      : problem(404, "no such transaction is remembered");
  },
  "POST transactions": ({ partner, body }) =>
    json(201, partner.startTransactions(parseTransactionRequest(parsed(body)))),
  "GET log": ({ partner }) => json(200, partner.logResponder.rules),
  "PUT log": ({ partner, body }) => json(200, partner.changeLogRules(parsed(body))),
  "POST log": ({ partner, body }) => json(201, partner.addPastNotifications(parsed(body))),
  "GET faults": ({ partner }) => json(200, partner.faults.list()),
  "POST faults": ({ partner, body }) => {
    const value = parsed(body);
    // All rules are parsed before the first is added, so that an invalid one leaves none behind.
    const added = listOf(value)
      .map(parseFaultRule)
      .map((rule) => partner.faults.add(rule));
    return json(201, Array.isArray(value) ? added : added[0]);
  },
  "DELETE faults": ({ partner }) => {
    partner.faults.clear();
    return json(200, { cleared: true });
  },
  "DELETE faults/": ({ partner, id }) =>
    partner.faults.remove(id) ? json(200, { removed: id }) : problem(404, "there is no such fault"),
  "POST reset": ({ partner }) => {
    partner.reset();
    return json(200, { reset: true });
  },
};

/** Answers a request to the control API, which requires no headers. */
export const control = (
  partner: SimulatedPartner,
  method: string,
  target: string,
  body: Buffer | null,
): Answer => {
  if (body === null) return problem(413, "the body is too large");
  const url = new URL(target, "http://sandbox");
  const path = url.pathname.slice(controlPrefix.length);
  const slash = path.indexOf("/");
  const name = slash < 0 ? path : path.slice(0, slash + 1);
  const route = `${method} ${name}`;
  const answer = Object.hasOwn(routes, route) ? routes[route] : undefined;
  if (!answer)
    return problem(
      404,
      `there is no ${method} ${controlPrefix}${name}; there are: ${Object.keys(routes).join(", ")}`,
    );
  try {
    return answer({
      partner,
      id: slash < 0 ? "" : canonicalId(decodeURIComponent(path.slice(slash + 1))),
      query: url.searchParams,
      body,
    });
  } catch (error) {
    if (error instanceof WrongInput) return problem(400, error.message);
    if (error instanceof URIError)
      return problem(400, "the identifier in the path is not percent-encoded UTF-8");
    throw error;
  }
};
