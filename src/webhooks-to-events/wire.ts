import type { IncomingMessage, Server } from "node:http";
import type { Config } from "../config/config.ts";
import { webhookSecrets } from "../config/webhook-secret.ts";
import type { Metrics } from "../ops/metrics.ts";
import type { PublishOnce } from "../notification/publish-once.ts";
import { messageOf } from "../runtime/errors.ts";
import { readTraceContext, type Span, type Traces } from "../runtime/traces.ts";
import { beginsAt } from "../services/traces/context.ts";
import { createWebhookApp, type ServedRequest } from "./webhook-app.ts";
import { webhooksToEvents, type WebhookFlow } from "./flow.ts";
import { createWebhookServer } from "./listener.ts";
import { createPlaces } from "./places.ts";
import { readInTurns } from "./turns.ts";
import { verification, type Auth } from "./verify.ts";
import type { DeadLetters } from "../services/dead-letters.ts";
import { publishTimeoutOf } from "../notification/wire/events.ts";
import type { Services } from "../services/services.ts";

const RETRY_AFTER_SECONDS = 5;
/**
 * At least this many, because senders keep connections that they do not use. Each takes at most 50 KiB, with a
 * head of a hundred headers that is still arriving: with the bodies of WEBHOOK_MAX_IN_FLIGHT requests they fit
 * into the memory that the manifests give.
 */
const MIN_MAX_CONNECTIONS = 4_096;
const ARRIVAL_TIMEOUT_MS = 15_000;

const authOf = ({ webhook }: Config): Auth => {
  const headerName = (webhook.signatureHeader ?? "").toLowerCase();
  switch (webhook.auth) {
    case "header":
      return { kind: "header", headerName };
    case "hmac":
      return { kind: "hmac", headerName, prefix: webhook.signaturePrefix };
    case "standard-webhooks":
      return { kind: "standard-webhooks", toleranceMs: webhook.toleranceMs };
    case "path-token":
      return { kind: "path-token" };
    case "none":
      return { kind: "none" };
    case undefined:
      throw new Error("WEBHOOK_AUTH is checked when the configuration is read");
  }
};

/** @param path the configured path, not that of the request, which may end in a secret token */
const beginWebhook = (traces: Traces, headers: IncomingMessage["headers"], path: string): Span => {
  const context = readTraceContext(headers["traceparent"], headers["tracestate"]);
  return traces.begin({ name: `POST ${path}`, kind: "server", ...beginsAt(traces, context) });
};

const endWebhook = ({ span, status, outcome }: ServedRequest, path: string): void => {
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

/** The public listener. Answers 503 until it is connected to the flow. */
export const webhookServer = (
  { webhook }: Config,
  { services, metrics, isOpen }: { services: Services; metrics: Metrics; isOpen: () => boolean },
): { server: Server; connect: (to: WebhookFlow) => void } => {
  const { clock, log, traces } = services;
  let flow: WebhookFlow | null = null;
  const turns = readInTurns(clock.monotonic);
  const places = createPlaces();

  const logRequest = ({ status, outcome, error }: ServedRequest, ms: number): void => {
    const event = outcome && "event" in outcome ? outcome.event : undefined;
    const position = outcome && "position" in outcome ? outcome.position : undefined;
    const line = {
      code: status,
      kind: outcome?.kind,
      eventId: event?.eventId,
      transactionId: event?.transactionId,
      status: event?.status,
      partition: position?.partition,
      offset: position?.offset,
      ms,
      reason: error === null ? undefined : messageOf(error),
    };
    if (status >= 500) log.warn(line, "webhook.unavailable");
    else log.info(line, "webhook.served");
  };
  const served = (request: ServedRequest): void => {
    const { status, startedAt, outcome } = request;
    const ms = Math.round((clock.monotonic() - startedAt) * 10) / 10;
    metrics.webhookRequests.inc({ code: status });
    if (status === 200) metrics.webhookSeconds.observe(ms / 1_000);
    if (outcome?.kind === "duplicate") metrics.duplicates.inc();
    logRequest(request, ms);
    endWebhook(request, webhook.path);
  };

  const app = createWebhookApp(
    {
      path: webhook.path,
      pathToken: webhook.auth === "path-token",
      maxBodyBytes: webhook.maxBodyBytes,
      maxInFlight: webhook.maxInFlight,
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    },
    {
      flow: () => (isOpen() ? flow : null),
      turns,
      places,
      served,
      trace: traces ? (headers) => beginWebhook(traces, headers, webhook.path) : undefined,
      monotonic: clock.monotonic,
      now: clock.now,
    },
  );
  const server = createWebhookServer(app, {
    turns,
    places,
    maxConnections: Math.max(MIN_MAX_CONNECTIONS, 2 * webhook.maxInFlight),
    arrivalTimeoutMs: ARRIVAL_TIMEOUT_MS,
  });
  return { server, connect: (to) => (flow = to) };
};

export type WebhookFlowDeps = { services: Services; deadLetters: DeadLetters; publishOnce: PublishOnce };

/** The flow from webhooks to events. */
export const webhookFlow = (
  config: Config,
  { services, deadLetters, publishOnce }: WebhookFlowDeps,
): WebhookFlow =>
  webhooksToEvents({
    admit: verification({
      auth: authOf(config),
      secrets: webhookSecrets(config, services.log),
      allowedCidrs: config.webhook.allowedCidrs,
      trustedProxyCidrs: config.webhook.trustedProxyCidrs,
    }),
    publishOnce,
    deadLetter: (notification) => deadLetters.parkNotification(notification, publishTimeoutOf(config)),
    now: services.clock.now,
  });
