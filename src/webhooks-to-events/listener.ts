import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import type { WebhookApp } from "./accept.ts";
import { declaresMore } from "./read-body.ts";

export type ListenerOptions = {
  maxBodyBytes: number;
  /** Connections at once, used or not: each holds memory and a file descriptor. */
  maxConnections: number;
  /** A request whose head, or which as a whole, takes longer to arrive is cut off. */
  arrivalTimeoutMs: number;
};

/** Node by itself looks every half minute for requests that take too long to arrive. */
const LOOK_FOR_LATE_MS = 1_000;
/** Longer than load balancers keep an idle connection: the side that closes first must not be the one that is about to be called. */
const KEEP_ALIVE_MS = 75_000;
const HOST = "localhost";

const SCHEME_AND_HOST = /^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i;

/**
 * The route is a path, whatever host it is asked of: clients of proxies name one in the target too, HTTP/1.0 none at all, and the adapter answers
 * 400 to those that it finds odd.
 */
const forgetHost = (request: IncomingMessage): void => {
  request.headers.host = HOST;
  if (request.url?.startsWith("/") === false) request.url = request.url.replace(SCHEME_AND_HOST, "");
};

/** The public listener: the app behind node's HTTP server, with its bounds on what a sender may take up. */
export const createWebhookServer = (app: WebhookApp, options: ListenerOptions): Server => {
  const server = createAdaptorServer({
    fetch: app.fetch,
    serverOptions: {
      // Left at its default of a minute, the one would change places with the other, which has to be the longer one.
      headersTimeout: options.arrivalTimeoutMs,
      requestTimeout: options.arrivalTimeoutMs,
      connectionsCheckingInterval: LOOK_FOR_LATE_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
    },
  }) as Server;
  // Keeps the write side open after the sender half-closes, so that it still gets its answer. (`allowHalfOpen` is a different option.)
  Object.assign(server, { httpAllowHalfOpen: true });
  server.maxConnections = options.maxConnections;
  server.on("drop", () => server.closeIdleConnections());
  server.prependListener("request", forgetHost);
  server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
    // A body that is too large by what it declares is never read, whatever the answer is: the connection cannot be used again.
    if (declaresMore(request, options.maxBodyBytes)) response.shouldKeepAlive = false;
    else response.writeContinue();
    server.emit("request", request, response);
  });
  return server;
};
