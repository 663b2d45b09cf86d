import type { CallOptions, FetchLog, Outcome, PartnerRequest } from "./types.ts";
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
  { send, endOf }: { send: () => Promise<T>; endOf: (answer: T) => End },
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

const TEMPLATES: Record<PartnerRequest["operation"], string> = {
  CREATE_QUOTE: "/corporate/v1/quote",
  ACCEPT_QUOTE: "/corporate/v1/quote/{quoteId}/accept",
};
const LOG_PATH = "/corporate/v1/webhook/logs";

/** A call in a client span. `error.type` is the kind of its outcome, unless it was executed. */
export const callInSpan = (
  traces: Traces,
  address: Address,
  parent: TraceContext | null,
  call: (request: PartnerRequest, options: CallOptions) => Promise<Outcome>,
): typeof call => {
  const endOf = (outcome: Outcome): End => ({
    status: "answer" in outcome ? (outcome.answer?.httpStatus ?? null) : null,
    errorType: outcome.kind === "executed" ? null : outcome.kind,
  });
  return (request, options) => {
    const { method, path, operation } = request;
    const template = TEMPLATES[operation];
    const send = () => call(request, options);
    return requestInSpan(traces, address, { parent, method, path, template }, { send, endOf });
  };
};

/** A read of the notification log in a client span, which ends when the headers of the answer have come. */
export const fetchLogInSpan =
  (traces: Traces, address: Address, fetchLog: FetchLog): FetchLog =>
  (query, signal) =>
    requestInSpan(
      traces,
      address,
      { parent: null, method: "GET", path: LOG_PATH, template: LOG_PATH },
      {
        send: () => fetchLog(query, signal),
        endOf: ({ httpStatus: status }) => ({ status, errorType: status >= 400 ? String(status) : null }),
      },
    );
