import type { IncomingMessage } from "node:http";
import type { PublishOnce } from "../notification/publish-once.ts";
import { publishTimeoutOf } from "../notification/wire/events.ts";
import { messageOf } from "../runtime/errors.ts";
import type { RecordPosition } from "../runtime/record-position.ts";
import { beginsAt, readTraceContext, type Span } from "../runtime/traces.ts";
import type { Services } from "../kafka/wire/services.ts";
import { webhooksToEvents, type UnreadableNotification, type WebhookFlow } from "./flow.ts";
import { verification } from "./verify.ts";
import { createWebhookServer, type ServedRequest } from "./webhook-app.ts";

/** Senders keep connections that they do not use. Each takes at most 50 KiB, for which the manifests give memory. */
const MIN_MAX_CONNECTIONS = 4_096;

type FlowPorts = {
  secrets: () => readonly string[];
  park: (notification: UnreadableNotification, timeoutMs: number) => Promise<RecordPosition>;
  publishOnce: PublishOnce;
};

/** The public listener. Answers 503 until it is connected to the flow. */
export const webhookServer = (services: Services, isOpen: () => boolean) => {
  const { config, clock, log, metrics, traces } = services;
  const { webhook } = config;
  const { path, maxBodyBytes, maxInFlight } = webhook;
  let flow: WebhookFlow | null = null;

  const served = ({ status, startedAt, outcome, peerAddress, error, span }: ServedRequest): void => {
    const ms = Math.round((clock.monotonic() - startedAt) * 10) / 10;
    metrics.webhookRequests.inc({ code: status });
    if (status === 200) metrics.webhookSeconds.observe(ms / 1_000);
    if (outcome?.kind === "duplicate") metrics.duplicates.inc();

    const event = outcome && "event" in outcome ? outcome.event : undefined;
    const position = outcome && "position" in outcome ? outcome.position : undefined;
    const line = {
      code: status,
      kind: outcome?.kind,
      address: outcome?.kind === "refused" ? peerAddress : undefined,
      eventId: event?.eventId ?? undefined,
      transactionId: event?.transactionId,
      status: event?.status,
      partition: position?.partition,
      offset: position?.offset,
      ms,
      reason: error === null ? undefined : messageOf(error),
    };
    if (status >= 500) log.warn(line, "webhook.unavailable");
    else log.info(line, "webhook.served");

    if (!span?.isSampled) return;
    span.end(
      {
        "http.request.method": "POST",
        "http.route": path,
        "url.path": path,
        "url.scheme": "http",
        "http.response.status_code": status,
        "cambio.webhook.kind": outcome?.kind,
        "cambio.event.id": event?.eventId ?? undefined,
        "cambio.transaction.id": event?.transactionId,
      },
      status >= 500 ? String(status) : null,
    );
  };

  const maxConnections = Math.max(MIN_MAX_CONNECTIONS, 2 * maxInFlight);
  const pathToken = webhook.auth === "path-token";
  const trace = (headers: IncomingMessage["headers"]): Span | undefined => {
    if (!traces) return undefined;
    const context = readTraceContext(headers["traceparent"], headers["tracestate"]);
    // The configured path: that of the request may end in a secret token.
    return traces.begin({ name: `POST ${path}`, kind: "server", ...beginsAt(traces, context) });
  };
  const server = createWebhookServer(
    { path, pathToken, maxBodyBytes, maxInFlight, maxConnections },
    { flow: () => (isOpen() ? flow : null), served, trace, clock },
  );
  return {
    server,
    connect: ({ secrets, park, publishOnce }: FlowPorts): void => {
      const timeoutMs = publishTimeoutOf(services);
      flow = webhooksToEvents({
        admit: verification({ ...webhook, secrets }),
        publishOnce,
        deadLetter: (notification) => park(notification, timeoutMs),
      });
    },
  };
};
