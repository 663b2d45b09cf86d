import type { IncomingMessage } from "node:http";
import { type Span, type Traces, readTraceContext } from "../../runtime/traces.ts";
import type { ServedRequest } from "../../webhooks-to-events/webhook-app.ts";
import { beginsAt } from "../../services/traces/context.ts";

/** @param route.path the configured path, not that of the request, which may end in a secret token */
export const beginWebhook = (
  traces: Traces,
  headers: IncomingMessage["headers"],
  { path, trusted }: { path: string; trusted: boolean },
): Span => {
  const context = readTraceContext(headers["traceparent"], headers["tracestate"]);
  return traces.begin({ name: `POST ${path}`, kind: "server", ...beginsAt(traces, context, trusted) });
};

export const endWebhook = ({ span, status, outcome }: ServedRequest, path: string): void => {
  if (!span?.isSampled) return;
  const event = outcome && "event" in outcome ? outcome.event : undefined;
  span.end(
    {
      "http.request.method": "POST",
      "http.route": path,
      "url.path": path,
      "url.scheme": "http",
      "http.response.status_code": status,
      "cambio.webhook.kind": outcome?.kind,
      "cambio.event.id": event?.eventId,
      "cambio.transaction.id": event?.transactionId,
    },
    status >= 500 ? String(status) : null,
  );
};
