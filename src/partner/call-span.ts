import type { Call, FetchLog } from "./types.ts";
import type { TraceContext, Traces } from "../runtime/traces.ts";

/** The partner's base URL for span attributes. `mask` hides secrets in a path. */
type Address = { url: URL; mask: (text: string) => string };

type Request = { method: string; path: string; template: string };

/** Begins a client span. @returns a function that ends it, by the answer's status or null */
const beginRequest = (
  traces: Traces,
  parent: TraceContext | null,
  { url, mask }: Address,
  { method, path, template }: Request,
) => {
  const span = traces.begin({ name: `${method} ${template}`, kind: "client", parent });
  return (status: number | null, errorType: string | null): void => {
    if (!span.isSampled) return;
    const attributes = {
      "http.request.method": method,
      "url.full": mask(`${url.origin}${url.pathname.replace(/\/+$/, "")}${path}`),
      "url.template": template,
      "server.address": url.hostname,
      "server.port": Number(url.port) || (url.protocol === "https:" ? 443 : 80),
      "http.response.status_code": status,
    };
    span.end(attributes, errorType);
  };
};

/** A call in a client span. `error.type` is the kind of its outcome, unless it was executed. */
export const callInSpan =
  (traces: Traces, address: Address, parent: TraceContext | null, call: Call): Call =>
  async (request, options) => {
    const { method, path, operation } = request;
    const template = operation === "CREATE_QUOTE" ? path : "/corporate/v1/quote/{quoteId}/accept";
    const end = beginRequest(traces, parent, address, { method, path, template });
    const outcome = await call(request, options);
    const answer = "answer" in outcome ? outcome.answer : null;
    end(answer?.httpStatus ?? null, outcome.kind === "executed" ? null : outcome.kind);
    return outcome;
  };

/** A read of the notification log in a client span, which ends when the headers of the answer have come. */
export const fetchLogInSpan =
  (traces: Traces, address: Address, fetchLog: FetchLog): FetchLog =>
  async (query, signal) => {
    const path = "/corporate/v1/webhook/logs";
    const end = beginRequest(traces, null, address, { method: "GET", path, template: path });
    const answer = await fetchLog(query, signal).catch((error: unknown) => {
      end(null, "unanswered");
      throw error;
    });
    end(answer.httpStatus, answer.httpStatus >= 400 ? String(answer.httpStatus) : null);
    return answer;
  };
