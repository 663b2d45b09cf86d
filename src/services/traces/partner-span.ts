import type { CallOptions, FetchLog, Outcome, PartnerRequest } from "../../partner/types.ts";
import type { Span, TraceContext, Traces } from "../../runtime/traces.ts";

/** The partner's base URL for span attributes. `mask` hides secrets in a path. */
export type Address = { url: URL; mask: (text: string) => string };

const endCall = (
  span: Span,
  { url, mask }: Address,
  {
    method,
    path,
    template,
    status,
  }: { method: string; path: string; template: string; status: number | null },
  errorType: string | null,
): void => {
  if (!span.isSampled) return;
  const base = `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
  span.end(
    {
      "http.request.method": method,
      "url.full": mask(base + path),
      "url.template": template,
      "server.address": url.hostname,
      "server.port": Number(url.port) || (url.protocol === "https:" ? 443 : 80),
      "http.response.status_code": status,
    },
    errorType,
  );
};

const TEMPLATES: Record<PartnerRequest["operation"], string> = {
  CREATE_QUOTE: "/corporate/v1/quote",
  ACCEPT_QUOTE: "/corporate/v1/quote/{quoteId}/accept",
};
const LOG_PATH = "/corporate/v1/webhook/logs";

/** A call in a client span. `error.type` is the kind of its outcome, unless it was executed. */
export const callInSpan = async (
  traces: Traces,
  address: Address,
  {
    parent,
    request,
    options,
  }: { parent: TraceContext | null; request: PartnerRequest; options: CallOptions },
  call: (request: PartnerRequest, options: CallOptions) => Promise<Outcome>,
): Promise<Outcome> => {
  const { method, path, operation } = request;
  const template = TEMPLATES[operation];
  const span = traces.begin({ name: `${method} ${template}`, kind: "client", parent });
  const outcome = await call(request, options);
  const status = "answer" in outcome ? (outcome.answer?.httpStatus ?? null) : null;
  endCall(
    span,
    address,
    { method, path, template, status },
    outcome.kind === "executed" ? null : outcome.kind,
  );
  return outcome;
};

/** A read of the notification log in a client span, which ends when the headers of the answer have come. */
export const fetchLogInSpan =
  (traces: Traces, address: Address, parent: () => TraceContext | null, fetchLog: FetchLog): FetchLog =>
  async (query, signal) => {
    const span = traces.begin({ name: `GET ${LOG_PATH}`, kind: "client", parent: parent() });
    const attributes = { method: "GET", path: LOG_PATH, template: LOG_PATH };
    try {
      const answer = await fetchLog(query, signal);
      const { httpStatus: status } = answer;
      endCall(span, address, { ...attributes, status }, status >= 400 ? String(status) : null);
      return answer;
    } catch (error) {
      endCall(span, address, { ...attributes, status: null }, "unanswered");
      throw error;
    }
  };
