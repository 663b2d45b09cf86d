import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import type { WebhookApp } from "./webhook-app.ts";
import { declaresMore } from "./read-body.ts";

export type ListenerOptions = {
  maxBodyBytes: number;
  /** Open connections, idle ones included: each takes memory and a file descriptor. */
  maxConnections: number;
  /** The time for a request's head, and for the whole request, to arrive. A slower one is cut off. */
  arrivalTimeoutMs: number;
};

/** How often node looks for requests that are late; its default is 30 seconds. */
const LATE_CHECK_MS = 1_000;
/**
 * Longer than load balancers keep an idle connection: if the server closed it first, a request could meet the
 * closing connection.
 */
const KEEP_ALIVE_MS = 75_000;
const HOST = "localhost";

const SCHEME_AND_HOST = /^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i;

/**
 * Removes the host from a request, because the route depends on the path alone. The adapter would answer 400
 * to hosts that it cannot parse, to none at all (HTTP/1.0), and to an absolute URL as the target (proxies).
 */
const removeHost = (request: IncomingMessage): void => {
  request.headers.host = HOST;
  if (request.url?.startsWith("/") === false) request.url = request.url.replace(SCHEME_AND_HOST, "");
};

/** The public listener: the app behind node's HTTP server, with limits on what a sender can occupy. */
export const createWebhookServer = (app: WebhookApp, options: ListenerOptions): Server => {
  const server = createAdaptorServer({
    fetch: app.fetch,
    serverOptions: {
      // Both are set: node swaps them when headersTimeout, a minute by default, is the longer one.
      headersTimeout: options.arrivalTimeoutMs,
      requestTimeout: options.arrivalTimeoutMs,
      connectionsCheckingInterval: LATE_CHECK_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
    },
  }) as Server;
  // Keeps the write side open after the sender half-closes, so that it still gets its answer.
  // (`allowHalfOpen` is a different option.)
  Object.assign(server, { httpAllowHalfOpen: true });
  server.maxConnections = options.maxConnections;
  server.on("drop", () => server.closeIdleConnections());
  server.prependListener("request", removeHost);
  server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
    // A body whose Content-Length is too large is never read, whatever the answer: the connection cannot be
    // used again.
    if (declaresMore(request, options.maxBodyBytes)) response.shouldKeepAlive = false;
    else response.writeContinue();
    server.emit("request", request, response);
  });
  return server;
};
