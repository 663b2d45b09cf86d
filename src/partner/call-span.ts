import type { Call, FetchLog } from "./types.ts";
import type { TraceContext, Traces } from "../runtime/traces.ts";

/** The partner's base URL for span attributes. `mask` hides secrets in a path. */
type Address = { url: URL; mask: (text: string) => string };

type Request = { parent: TraceContext | null; method: string; path: string; template: string };
type End = { status: number | null; errorType: string | null };

/** Makes a request in a client span. `endOf` says what it came to; one that throws was not answered. */
const requestInSpan = async <T>(
  traces: Traces,
  { url, mask }: Address,
  { parent, method, path, template }: Request,
  send: () => Promise<T>,
  endOf: (answer: T) => End,
): Promise<T> => {
  const span = traces.begin({ name: `${method} ${template}`, kind: "client", parent });
  let end: End = { status: null, errorType: "unanswered" };
  try {
    const answer = await send();
    end = endOf(answer);
    return answer;
  } finally {
    if (span.isSampled)
      span.end(
        {
          "http.request.method": method,
          "url.full": mask(`${url.origin}${url.pathname.replace(/\/+$/, "")}${path}`),
          "url.template": template,
          "server.address": url.hostname,
          "server.port": Number(url.port) || (url.protocol === "https:" ? 443 : 80),
          "http.response.status_code": end.status,
        },
        end.errorType,
      );
  }
};

/** A call in a client span. `error.type` is the kind of its outcome, unless it was executed. */
export const callInSpan =
  (traces: Traces, address: Address, parent: TraceContext | null, call: Call): Call =>
  (request, options) => {
    const { method, path, operation } = request;
    const template = operation === "CREATE_QUOTE" ? path : "/corporate/v1/quote/{quoteId}/accept";
    const send = () => call(request, options);
    return requestInSpan(traces, address, { parent, method, path, template }, send, (outcome) => ({
      status: "answer" in outcome ? (outcome.answer?.httpStatus ?? null) : null,
      errorType: outcome.kind === "executed" ? null : outcome.kind,
    }));
  };

/** A read of the notification log in a client span, which ends when the headers of the answer have come. */
export const fetchLogInSpan =
  (traces: Traces, address: Address, fetchLog: FetchLog): FetchLog =>
  (query, signal) => {
    const path = "/corporate/v1/webhook/logs";
    const request = { parent: null, method: "GET", path, template: path };
    const send = () => fetchLog(query, signal);
    return requestInSpan(traces, address, request, send, ({ httpStatus: status }) => ({
      status,
      errorType: status >= 400 ? String(status) : null,
    }));
  };
