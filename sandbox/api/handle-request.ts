import type { IncomingHttpHeaders } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { applyFault } from "../faults/apply-fault.ts";
import type { Faults } from "../faults/faults.ts";
import type { Deliveries } from "../notifications/deliveries.ts";
import type { Past } from "../notifications/past.ts";
import { sendAnswer, type Answer } from "../runtime/answer.ts";
import type { Handler } from "../runtime/listen.ts";
import type { Newest } from "../runtime/newest.ts";
import { WrongInput } from "../runtime/wrong-input.ts";
import { canonicalId, type QuoteBook } from "../transactions/quotes.ts";
import type { Operation, RecordedRequest, Subscription } from "../types.ts";
import { forms, type Form, type Refusal } from "./answers.ts";
import { checkHeaders, type HeaderRules } from "./check-headers.ts";
import { answerLog, type LogSource } from "./log.ts";
import { read } from "./read-requests.ts";

type ApiDeps = Omit<LogSource, "sent"> & {
  faults: Faults;
  requests: Newest<RecordedRequest>;
  quotes: QuoteBook;
  deliveries: Deliveries;
  past: Past;
  subscribe: (url: string, events: readonly string[]) => Subscription;
};

const operations: { path: RegExp; method: string; operation: Operation }[] = [
  { path: /^\/corporate\/v1\/quote$/, method: "POST", operation: "create" },
  { path: /^\/corporate\/v1\/quote\/([^/]+)\/accept$/, method: "PUT", operation: "accept" },
  { path: /^\/corporate\/v1\/webhook\/subscribe$/, method: "POST", operation: "subscribe" },
  { path: /^\/corporate\/v1\/webhook\/logs$/, method: "GET", operation: "logs" },
];

const refusals = {
  unknown: { code: "QUOTE_NOT_FOUND", message: "there is no such quote" },
  "already-accepted": { code: "QUOTE_ALREADY_ACCEPTED", message: "the quote was accepted before" },
  expired: { code: "QUOTE_EXPIRED", message: "the quote's validity has passed: request a new one" },
  "not-of-today": { code: "QUOTE_NOT_OF_TODAY", message: "the quote was not created on this business day" },
} as const satisfies Record<string, Refusal>;

type Route = { operation: Operation; quoteId: string } | Refusal;

const routeOf = (method: string, path: string): Route => {
  const endpoint = operations.find((each) => each.path.test(path));
  if (!endpoint) return { code: "NOT_FOUND", message: "there is nothing at this path" };
  const headers = { allow: endpoint.method };
  if (endpoint.method !== method)
    return { code: "METHOD_NOT_ALLOWED", message: `this path takes ${endpoint.method} only`, headers };
  try {
    const quoteId = canonicalId(decodeURIComponent(endpoint.path.exec(path)?.[1] ?? ""));
    return { operation: endpoint.operation, quoteId };
  } catch {
    return { code: "NOT_FOUND", message: "the identifier in the path is not percent-encoded UTF-8" };
  }
};

/** Handles a request to the imitated API: records it, applies faults, executes and answers it. */
export const createApiHandler = (settings: HeaderRules & { answers: Form }, deps: ApiDeps): Handler => {
  const form = forms[settings.answers];

  const execute = (operation: Operation, quoteId: string, query: string, body: Buffer): Answer => {
    switch (operation) {
      case "create":
        return form.created(deps.quotes.create(read.quote(body)));
      case "accept": {
        const request = read.accept(body);
        const outcome = deps.quotes.accept(quoteId, request);
        if (outcome.kind !== "executed" && outcome.kind !== "same")
          return form.refused(refusals[outcome.kind]);
        const { transactionId, acceptedAt } = outcome;
        return form.accepted({ quoteId, transactionId, acceptedAt, externalId: request.externalId ?? null });
      }
      case "subscribe": {
        const { url, events } = read.subscription(body);
        return form.subscribed(deps.subscribe(url, events));
      }
      case "logs": {
        const sent: LogSource["sent"] = function* (fits, newestFirst) {
          const sources = [deps.past, deps.deliveries];
          for (const source of newestFirst ? sources.reverse() : sources)
            yield* source.sent(fits, newestFirst);
        };
        const filter = read.logFilter(new URLSearchParams(query));
        return answerLog(filter, { ...deps, sent });
      }
    }
  };

  const answerTo = (
    route: Route,
    query: string,
    headers: IncomingHttpHeaders,
    body: Buffer | null,
  ): Answer => {
    if (body === null) return form.refused({ code: "BODY_TOO_LARGE", message: "the body is too large" });
    if ("code" in route) return form.refused(route);
    const refusal = checkHeaders(settings, headers);
    if (refusal) return form.refused(refusal);
    try {
      return execute(route.operation, route.quoteId, query, body);
    } catch (error) {
      if (!(error instanceof WrongInput)) throw error;
      return form.refused({ code: "INVALID_REQUEST", message: error.message });
    }
  };

  const faultAnswer = (status: number, headers: Record<string, string>, body: string | null): Answer => {
    const answer = form.refused({ code: "FAULT", message: "a fault of the sandbox", status, headers });
    return body === null ? answer : { ...answer, body };
  };

  return async (incoming, response, body) => {
    const { url: target = "/", method = "GET", rawHeaders } = incoming;
    const [path = "", query = ""] = target.split(/\?(.*)/s);
    const route = routeOf(method, path);
    const { operation, quoteId } = "code" in route ? { operation: null, quoteId: undefined } : route;
    const kept = body ?? Buffer.alloc(0);
    const due = deps.faults.forRequest({ operation, quoteId, path, query, body: kept.toString() });
    const faults = due.map(({ kind }) => kind);
    const recorded: RecordedRequest = {
      ...{ at: deps.now(), method, target, operation, rawHeaders, body: kept, answered: null, faults },
    };
    deps.requests.add(recorded);

    const latencyMs = due.reduce((sum, fault) => sum + (fault.kind === "latency" ? fault.ms : 0), 0);
    // The request is executed after the latency, as with a slow network.
    if (latencyMs > 0) await sleep(latencyMs, undefined, { ref: false });
    const answer = () => answerTo(route, query, incoming.headers, body);
    const other = due.find((fault) => fault.kind !== "latency");
    if (other) recorded.answered = applyFault(response, other, answer, faultAnswer);
    else {
      const normal = answer();
      recorded.answered = normal.status;
      await sendAnswer(response, normal);
    }
  };
};
