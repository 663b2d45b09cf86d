import type { RequestFault } from "../faults/fault-rules.ts";
import type { Faults } from "../faults/faults.ts";
import { misbehave } from "../faults/misbehave.ts";
import { write, type Answer } from "../runtime/answer.ts";
import type { Ring } from "../runtime/bounded.ts";
import type { Handler } from "../runtime/listen.ts";
import type { SeenRequest } from "../types.ts";
import type { Partner, PartnerRequest } from "./partner.ts";
import { routeOf, type Route } from "./route.ts";

export type ServePartnerDeps = {
  partner: Partner;
  faults: Faults;
  seen: Ring<SeenRequest>;
  counters: { requests: number };
  now: () => number;
};

const faultMessage = "a fault of the sandbox";

/** One request to the imitated API: remembered, perhaps spoilt by faults, answered. `body` is null when too large. */
export const createPartnerServer = (deps: ServePartnerDeps): Handler => {
  const { partner, faults } = deps;

  const faultAnswer = (status: number, headers: Record<string, string>, body: string | null): Answer => {
    const answer = partner.refuse({ code: "FAULT", message: faultMessage, status, headers });
    return body === null
      ? answer
      : { ...answer, headers: { "content-type": "application/json", ...headers }, body };
  };

  const ordinary = (
    route: Route,
    request: Omit<PartnerRequest, "operation" | "quoteId">,
    tooLarge: boolean,
  ): Answer => {
    if (tooLarge) return partner.refuse({ code: "BODY_TOO_LARGE", message: "the body is too large" });
    switch (route.kind) {
      case "not-found":
        return partner.refuse({ code: "NOT_FOUND", message: "there is nothing at this path" });
      case "method-not-allowed":
        return partner.refuse({
          code: "METHOD_NOT_ALLOWED",
          message: `this path takes ${route.allow} only`,
          headers: { allow: route.allow },
        });
      case "operation":
        return partner.answer({ ...request, operation: route.operation, quoteId: route.quoteId });
    }
  };

  return (incoming, response, body) => {
    const target = incoming.url ?? "/";
    const mark = target.indexOf("?");
    const path = mark < 0 ? target : target.slice(0, mark);
    const method = incoming.method ?? "GET";
    const route = routeOf(method, path);
    const seen: SeenRequest = {
      at: deps.now(),
      method,
      target,
      operation: route.kind === "operation" ? route.operation : null,
      rawHeaders: incoming.rawHeaders,
      body: body ?? Buffer.alloc(0),
      answered: null,
      faults: [],
    };
    deps.seen.push(seen);
    deps.counters.requests += 1;

    const answer = () => {
      const query = new URLSearchParams(mark < 0 ? "" : target.slice(mark + 1));
      return ordinary(route, { query, headers: incoming.headers, body: seen.body }, body === null);
    };
    const finish = (fault: Exclude<RequestFault, { kind: "latency" }> | undefined) => {
      if (fault) {
        seen.answered = misbehave(response, fault, answer, faultAnswer);
        return undefined;
      }
      const made = answer();
      seen.answered = made.status;
      return write(response, made);
    };

    const due = faults.any()
      ? faults.forRequest({
          operation: seen.operation,
          quoteId: route.kind === "operation" ? (route.quoteId ?? undefined) : undefined,
          path,
          query: mark < 0 ? "" : target.slice(mark + 1),
          body: seen.body.toString(),
          rawHeaders: seen.rawHeaders,
        })
      : [];
    seen.faults = due.map(({ kind }) => kind);
    const latencyMs = due.reduce((sum, fault) => sum + (fault.kind === "latency" ? fault.ms : 0), 0);
    const other = due.find((fault) => fault.kind !== "latency");
    // A latency is real time, and the request is executed after it, as behind a slow network.
    if (latencyMs > 0)
      return new Promise<void>((resolve) => setTimeout(resolve, latencyMs).unref()).then(() => finish(other));
    return finish(other);
  };
};
