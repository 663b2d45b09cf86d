import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import type { MiddlewareHandler } from "hono";
import { createPlaces } from "./connections.ts";
import { readInTurns } from "./connections.ts";
import { createWebhookApp, type WebhookOptions, type WebhookPorts } from "./webhook-app.ts";

export type ListenerOptions = WebhookOptions & {
  /**
   * Open connections, idle ones included: each takes memory and a file descriptor. One more takes the place of
   * the oldest that waits for no answer.
   */
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
/** A thousand short headers, which node takes by default, need ten times their size in memory. */
const MAX_HEADERS = 100;
const MAX_PIPELINED = 16;

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
export const createWebhookServer = (
  options: ListenerOptions,
  ports: WebhookPorts,
  middleware: readonly MiddlewareHandler[] = [],
): Server => {
  const turns = readInTurns();
  const places = createPlaces();
  const answer = getRequestListener(createWebhookApp(options, ports, { turns, places }, middleware).fetch);
  const server = createServer({
    // Both are set: node swaps them when headersTimeout, a minute by default, is the longer one.
    headersTimeout: options.arrivalTimeoutMs,
    requestTimeout: options.arrivalTimeoutMs,
    connectionsCheckingInterval: LATE_CHECK_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
  });
  server.maxHeadersCount = MAX_HEADERS;
  // Keeps the write side open after the sender half-closes, so that it still gets its answer.
  // (`allowHalfOpen` is a different option.)
  Object.assign(server, { httpAllowHalfOpen: true });

  let open = 0;
  server.on("connection", (socket) => {
    if (open >= options.maxConnections) (places.oldest ?? socket).destroy();
    open += 1;
    places.open(socket);
    socket.once("close", () => {
      open -= 1;
      places.close(socket);
    });
    turns.enter(socket);
  });

  /** Requests that wait for the answer to an earlier one of their connection. */
  const pipelined = new WeakMap<Socket, number>();
  const isOneTooMany = ({ socket }: IncomingMessage, response: ServerResponse): boolean => {
    // Node gives a response its socket when the one before it has ended.
    if (response.socket !== null) return false;
    const count = (pipelined.get(socket) ?? 0) + 1;
    pipelined.set(socket, count);
    response.once("close", () => pipelined.set(socket, (pipelined.get(socket) ?? 1) - 1));
    turns.yield(socket);
    return count > MAX_PIPELINED;
  };

  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    if (request.socket.destroyed) return;
    if (isOneTooMany(request, response)) return void request.socket.destroy();
    if (request.rawHeaders.length > 2 * MAX_HEADERS)
      return void response.writeHead(431, { connection: "close" }).end();
    removeHost(request);
    void answer(request, response);
  });
  // The app tells the sender to go on, when it wants to read the body.
  server.on("checkContinue", (request, response) => server.emit("request", request, response));
  return server;
};
