import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { createConnections, type Connections } from "./connections.ts";
import { createFairReader, type FairReader } from "./fair-reader.ts";
import { answerUnread, declaresMore, readBody } from "./read-body.ts";

export type ListenerOptions = {
  /** Open connections, idle ones included: each takes memory and a file descriptor. */
  maxConnections?: number | undefined;
  /** The time for a request's head, and for the whole request, to arrive. A slower one is cut off. */
  arrivalTimeoutMs?: number | undefined;
  /** How many requests of a connection may wait for an earlier answer. Memory holds their whole answers. */
  maxPipelined: number;
  /** Bodies are read up to this size before the app is asked; null for an app that reads them itself. */
  maxBodyBytes: number | null;
  /** If false, the Host header is ignored, and may be missing. */
  needsHost: boolean;
};

type Fetch = (request: Request, env: HttpBindings) => Response | Promise<Response>;

/** Far more than people, probes and scrapes need. */
const MAX_CONNECTIONS = 256;
const ARRIVAL_TIMEOUT_MS = 15_000;
/** How often node looks for requests that are late; its default is 30 seconds. */
const LATE_CHECK_MS = 1_000;
/** Longer than load balancers keep an idle connection (Google's: 600 s): a request could meet a closing connection. */
const KEEP_ALIVE_MS = 620_000;
/** A thousand short headers, which node takes by default, need ten times their size in memory. */
const MAX_HEADERS = 100;

const SCHEME_AND_HOST = /^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i;

/** The adapter would answer 400 to hosts that it cannot parse, to none (HTTP/1.0), and to absolute URLs (proxies). */
const replaceHost = (request: IncomingMessage): void => {
  request.headers.host = "localhost";
  if (request.url?.startsWith("/") === false) request.url = request.url.replace(SCHEME_AND_HOST, "");
};

const refuse = (request: IncomingMessage, response: ServerResponse, status: 413 | 431): void => {
  // The adapter parses the URL and the host before it calls the handler, and may refuse them.
  Object.assign(request, { url: "/", headers: { ...request.headers, host: "localhost" } });
  void getRequestListener(() => answerUnread(request, status))(request, response);
};

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;

/** Bounds what strangers can occupy: connections, heads and bodies, pipelined requests, turns of the event loop. */
export const createListener = (
  options: ListenerOptions,
  appFor: (shared: { fairReader: FairReader; connections: Connections }) => Fetch,
): Server => {
  const { maxConnections = MAX_CONNECTIONS, arrivalTimeoutMs = ARRIVAL_TIMEOUT_MS } = options;
  const { maxPipelined, maxBodyBytes, needsHost } = options;
  const fairReader = createFairReader();
  const connections = createConnections(maxConnections);
  const app = appFor({ fairReader, connections });
  /** A new connection must not close one whose request is being answered. */
  const protectedApp: Fetch = async (request, env) => {
    const { socket } = env.incoming;
    connections.protect(socket);
    try {
      return await app(request, env);
    } finally {
      connections.unprotect(socket);
    }
  };
  const answer = getRequestListener(
    (maxBodyBytes === null ? app : protectedApp) as Parameters<typeof getRequestListener>[0],
  );
  const server = createServer({
    // Both are set: node swaps them when headersTimeout, a minute by default, is the longer one.
    headersTimeout: arrivalTimeoutMs,
    requestTimeout: arrivalTimeoutMs,
    connectionsCheckingInterval: LATE_CHECK_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
  });
  server.maxHeadersCount = MAX_HEADERS;
  // A sender that half-closes still gets its answer. (`allowHalfOpen` is a different option.)
  Object.assign(server, { httpAllowHalfOpen: true });

  server.on("connection", (socket) => {
    connections.add(socket);
    fairReader.admitNew(socket);
  });

  const pipelined = new WeakMap<Socket, number>();
  const isOneTooMany = ({ socket }: IncomingMessage, response: ServerResponse): boolean => {
    // A response has no socket while an earlier one of its connection is unfinished.
    if (response.socket !== null) return false;
    const count = (pipelined.get(socket) ?? 0) + 1;
    pipelined.set(socket, count);
    response.once("close", () => pipelined.set(socket, (pipelined.get(socket) ?? 1) - 1));
    fairReader.deferBusy(socket);
    return count > maxPipelined;
  };

  const readThenAnswer = (request: IncomingMessage, response: ServerResponse, maxBytes: number): void => {
    readBody(request, { maxBytes, fairReader }, (body) => {
      if (body === "too large") refuse(request, response, 413);
      else if (typeof body === "string") request.socket.destroy();
      // The adapter takes a `rawBody` for the request's body.
      else void answer(Object.assign(request, { rawBody: body }), response);
    });
  };

  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    if (request.socket.destroyed) return;
    if (isOneTooMany(request, response)) return void request.socket.destroy();
    if (!needsHost) replaceHost(request);
    if (request.rawHeaders.length > 2 * MAX_HEADERS) refuse(request, response, 431);
    else if (maxBodyBytes === null || !hasBody(request)) void answer(request, response);
    else if (declaresMore(request, maxBodyBytes)) refuse(request, response, 413);
    else readThenAnswer(request, response, maxBodyBytes);
  });
  return server;
};
