import { parseFaultRule } from "../faults/fault-rules.ts";
import { json, type Answer } from "../runtime/answer.ts";
import { WrongInput } from "../runtime/wrong-input.ts";
import { parseTransactionRequest } from "../transactions/make-transactions.ts";
import { canonicalId } from "../transactions/quote-id.ts";
import type { World } from "../world.ts";
import {
  deliveryView,
  lostView,
  quoteView,
  requestView,
  subscriptionView,
  transactionView,
} from "./state.ts";

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

/** Everything that the state holds, newest first; `limit` bounds each list. */
export const stateOf = (world: World, limit: number | undefined) => ({
  settings: world.summary(),
  totals: world.totals(),
  quotes: world.quotes
    .newest(Math.min(limit ?? Infinity, world.settings.history))
    .map((quote) => quoteView(quote, world.now())),
  transactions: world.transactions.newest(limit).map(transactionView),
  subscriptions: world.subscriptions.list().map(subscriptionView),
  deliveries: world.deliveries.newest(limit).map(deliveryView),
  lost: lostView(world.lost(limit ?? world.settings.history)),
  requests: world.seen.newest(limit).map(requestView),
  faults: world.faults.list(),
});

type Call = { world: World; id: string; query: URLSearchParams; body: Buffer };

const limitOf = (query: URLSearchParams): number | undefined => {
  const limit = query.get("limit");
  return limit !== null && /^\d+$/.test(limit) ? Number(limit) : undefined;
};

const state = ({ world, query }: Call): Answer => {
  const whole = stateOf(world, limitOf(query));
  const only = query.get("only")?.split(",");
  return json(
    200,
    only ? Object.fromEntries(Object.entries(whole).filter(([name]) => only.includes(name))) : whole,
  );
};

/** Method and path of the control API; a path that ends in `/` takes an identifier. */
const routes: Record<string, (call: Call) => Answer> = {
  "GET state": state,
  "GET executions": ({ world }) =>
    json(200, { ...world.ledger.totals(), repetitions: world.quotes.totals().repetitions }),
  "GET executions/": ({ world, id }) => json(200, { quoteId: id, executions: world.ledger.executionsOf(id) }),
  "POST executions": ({ world, body }) =>
    json(200, { executions: idsOf(parsed(body)).map((id) => world.ledger.executionsOf(id)) }),
  "GET quotes/": ({ world, id }) => {
    const quote = world.quotes.get(id);
    return quote ? json(200, quoteView(quote, world.now())) : problem(404, "no such quote is remembered");
  },
  "GET transactions/": ({ world, id }) => {
    const transaction = world.transactions.get(id);
    return transaction
      ? json(200, transactionView(transaction))
      : problem(404, "no such transaction is remembered");
  },
  "POST transactions": ({ world, body }) =>
    json(201, world.makeTransactions(parseTransactionRequest(parsed(body)))),
  "GET log": ({ world }) => json(200, world.logReader.rules),
  "PUT log": ({ world, body }) => json(200, world.changeLog(parsed(body))),
  "POST log": ({ world, body }) => json(201, world.makePast(parsed(body))),
  "GET faults": ({ world }) => json(200, world.faults.list()),
  "POST faults": ({ world, body }) => {
    const value = parsed(body);
    // All rules are read before any is added: a wrong one leaves nothing behind.
    const added = listOf(value)
      .map(parseFaultRule)
      .map((rule) => world.faults.add(rule));
    return json(201, Array.isArray(value) ? added : added[0]);
  },
  "DELETE faults": ({ world }) => {
    world.faults.clear();
    return json(200, { cleared: true });
  },
  "DELETE faults/": ({ world, id }) =>
    world.faults.remove(id) ? json(200, { removed: id }) : problem(404, "there is no such fault"),
  "POST reset": ({ world }) => {
    world.reset();
    return json(200, { reset: true });
  },
};

/** Answers one call of the control API, which asks for no headers at all. */
export const control = (world: World, method: string, target: string, body: Buffer | null): Answer => {
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
      world,
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
