import type { RequestFault } from "../faults/fault-rules.ts";
import type { Faults } from "../faults/faults.ts";
import { applyFault } from "../faults/apply-fault.ts";
import { sendAnswer, type Answer } from "../runtime/answer.ts";
import type { Ring } from "../runtime/bounded.ts";
import type { Handler } from "../runtime/listen.ts";
import type { RecordedRequest } from "../types.ts";
import type { PartnerApi, ApiRequest } from "./partner-api.ts";
import { routeOf, type Route } from "./route.ts";

export type ApiHandlerDeps = {
  api: PartnerApi;
  faults: Faults;
  requests: Ring<RecordedRequest>;
  counters: { requests: number };
  now: () => number;
};

const faultMessage = "a fault of the sandbox";

/** Handles a request to the imitated API: records it, applies faults, answers it. */
export const createApiHandler = (deps: ApiHandlerDeps): Handler => {
  const { api, faults } = deps;

  const faultAnswer = (status: number, headers: Record<string, string>, body: string | null): Answer => {
    const answer = api.refuse({ code: "FAULT", message: faultMessage, status, headers });
    return body === null
      ? answer
      : { ...answer, headers: { "content-type": "application/json", ...headers }, body };
  };

  const answerNormally = (
    route: Route,
    request: Omit<ApiRequest, "operation" | "quoteId">,
    tooLarge: boolean,
  ): Answer => {
    if (tooLarge) return api.refuse({ code: "BODY_TOO_LARGE", message: "the body is too large" });
    switch (route.kind) {
      case "not-found":
        return api.refuse({ code: "NOT_FOUND", message: "there is nothing at this path" });
      case "method-not-allowed":
        return api.refuse({
          code: "METHOD_NOT_ALLOWED",
          message: `this path takes ${route.allow} only`,
          headers: { allow: route.allow },
        });
      case "operation":
        return api.answer({ ...request, operation: route.operation, quoteId: route.quoteId });
    }
  };

  return (incoming, response, body) => {
    const target = incoming.url ?? "/";
    const mark = target.indexOf("?");
    const path = mark < 0 ? target : target.slice(0, mark);
    const method = incoming.method ?? "GET";
    const route = routeOf(method, path);
    const recorded: RecordedRequest = {
      at: deps.now(),
      method,
      target,
      operation: route.kind === "operation" ? route.operation : null,
      rawHeaders: incoming.rawHeaders,
      body: body ?? Buffer.alloc(0),
      answered: null,
      faults: [],
    };
    deps.requests.push(recorded);
    deps.counters.requests += 1;

    const answer = () => {
      const query = new URLSearchParams(mark < 0 ? "" : target.slice(mark + 1));
      return answerNormally(route, { query, headers: incoming.headers, body: recorded.body }, body === null);
    };
    const finish = (fault: Exclude<RequestFault, { kind: "latency" }> | undefined) => {
      if (fault) {
        recorded.answered = applyFault(response, fault, answer, faultAnswer);
        return undefined;
      }
      const normal = answer();
      recorded.answered = normal.status;
      return sendAnswer(response, normal);
    };

    const due = faults.hasRules()
      ? faults.forRequest({
          operation: recorded.operation,
          quoteId: route.kind === "operation" ? (route.quoteId ?? undefined) : undefined,
          path,
          query: mark < 0 ? "" : target.slice(mark + 1),
          body: recorded.body.toString(),
          rawHeaders: recorded.rawHeaders,
        })
      : [];
    recorded.faults = due.map(({ kind }) => kind);
    const latencyMs = due.reduce((sum, fault) => sum + (fault.kind === "latency" ? fault.ms : 0), 0);
    const other = due.find((fault) => fault.kind !== "latency");
    // The request is executed after the latency, as with a slow network.
    if (latencyMs > 0)
      return new Promise<void>((resolve) => setTimeout(resolve, latencyMs).unref()).then(() => finish(other));
    return finish(other);
  };
};
