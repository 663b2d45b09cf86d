import { parseFaultRule } from "../faults/fault-rules.ts";
import { json, type Answer } from "../runtime/answer.ts";
import { jsonFrom, WrongInput } from "../runtime/wrong-input.ts";
import { canonicalId } from "../transactions/quotes.ts";
import { parseTransactionRequest } from "../transactions/transactions.ts";
import type { Partner } from "../partner.ts";
import type { RecordedRequest } from "../types.ts";

export const controlPrefix = "/_sandbox/";

const problem = (status: number, message: string): Answer => json(status, { error: message });

const idsOf = (value: unknown): string[] => {
  if (!Array.isArray(value) || !value.every((id): id is string => typeof id === "string"))
    throw new WrongInput("the body must be a list of quoteIds");
  return value.map(canonicalId);
};

/** The names of members that are instants, which the state shows in ISO 8601. */
const instants = new Set("at createdAt expiresAt acceptedAt nextAttemptAt dueAt startedAt".split(" "));
const instantsInIso = (name: string, value: unknown): unknown =>
  instants.has(name) && typeof value === "number" ? new Date(value).toISOString() : value;

const requestView = ({ rawHeaders, body, ...request }: RecordedRequest) => ({
  ...request,
  /** Names and values, in their original order and case. */
  headers: rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? ""]] : [])),
  body: body.toString("utf8"),
});

const shownByDefault = 5_000;

/** Notifications that were never delivered, newest first. */
const lostOf = ({ past, deliveries }: Partner, limit: number) => {
  const lost = [];
  for (const source of [deliveries, past])
    for (const { transactionId, status, createdAt, url, state } of source.sent(() => true, true))
      if (state === "dropped" || state === "failed")
        lost.push({ transactionId, status, createdAt, url, state });
  return { count: lost.length, notifications: lost.slice(0, limit) };
};

/** The parts of GET /_sandbox/state, lists newest first; `limit` bounds each list. */
const parts: Record<string, (partner: Partner, limit: number) => unknown> = {
  totals: (partner) => partner.totals(),
  quotes: ({ quotes }, limit) => quotes.newest(limit),
  transactions: ({ transactions }, limit) => transactions.newest(limit),
  subscriptions: (partner) => partner.subscriptions(),
  deliveries: ({ deliveries }, limit) => deliveries.newest(limit),
  lost: lostOf,
  requests: ({ requests }, limit) => requests.newest(limit).map(requestView),
  faults: ({ faults }) => faults.list(),
};

type Call = { partner: Partner; id: string; query: URLSearchParams; body: Buffer };

const state = ({ partner, query }: Call): Answer => {
  const limit = query.get("limit") ?? "";
  const only = query.get("only")?.split(",") ?? Object.keys(parts);
  const shown = /^\d+$/.test(limit) ? Number(limit) : shownByDefault;
  const wanted = Object.entries(parts).filter(([name]) => only.includes(name));
  const view = Object.fromEntries(wanted.map(([name, part]) => [name, part(partner, shown)]));
  return { ...json(200, null), body: JSON.stringify(view, instantsInIso) };
};

/** The control API by method and path; an id follows a path that ends in `/`. */
const routes: Record<string, (call: Call) => Answer> = {
  "GET state": state,
  "GET executions": ({ partner: { quotes } }) => {
    const { executions, executedQuotes, repetitions } = quotes.totals();
    return json(200, {
      executions,
      quotes: executedQuotes,
      repetitions,
      executedTwice: quotes.executedTwice(),
    });
  },
  "GET executions/": ({ partner, id }) =>
    json(200, { quoteId: id, executions: partner.quotes.executionsOf(id) }),
  "POST executions": ({ partner, body }) =>
    json(200, { executions: idsOf(jsonFrom(body)).map((id) => partner.quotes.executionsOf(id)) }),
  "POST transactions": ({ partner, body }) =>
    json(201, partner.startTransactions(parseTransactionRequest(jsonFrom(body)))),
  "GET log": ({ partner }) => json(200, partner.logRules),
  "PUT log": ({ partner, body }) => json(200, partner.changeLogRules(jsonFrom(body))),
  "POST log": ({ partner, body }) => json(201, partner.addPast(jsonFrom(body))),
  "POST faults": ({ partner, body }) => {
    const value = jsonFrom(body);
    // All rules are parsed before the first is added, so that an invalid one leaves none behind.
    const rules = [value].flat().map(parseFaultRule);
    const added = rules.map(partner.faults.add);
    return json(201, Array.isArray(value) ? added : added[0]);
  },
  "DELETE faults": ({ partner }) => {
    partner.faults.clear();
    return json(200, { cleared: true });
  },
  "POST reset": ({ partner }) => {
    partner.reset();
    return json(200, { reset: true });
  },
};

/** Answers a request to the control API, which requires no headers. */
export const control = (partner: Partner, method: string, target: string, body: Buffer | null): Answer => {
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
