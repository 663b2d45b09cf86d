import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { LinkedList } from "../runtime/linked-list.ts";
import type { RawDelivery } from "./delivery.ts";
import type { Reception } from "./flow.ts";
import { declaresMore, readBody, type Body } from "./read-body.ts";

export type AcceptOptions = {
  path: string;
  /** Whether the path is followed by a slash and a token. */
  pathToken: boolean;
  maxBodyBytes: number;
  /** Requests in progress at once, beyond which the answer is 503. */
  maxInFlight: number;
  /** Connections at once, used or not: each holds memory and a file descriptor. */
  maxConnections: number;
  /** A request whose head, or which as a whole, takes longer to arrive is cut off. */
  arrivalTimeoutMs: number;
  /** Said in Retry-After with a 503. */
  retryAfterSeconds: number;
};

/** How a request ended, for whoever counts and logs. `reception` is null where the flow did not come into it. */
export type Served = { status: number; startedAt: number; reception: Reception | null; error: unknown };

export type AcceptPorts = {
  receive: (delivery: RawDelivery) => Promise<Reception>;
  /** False while starting and shutting down: everything is answered 503. Never throws. */
  isOpen: () => boolean;
  served: (request: Served) => void;
  /** Monotonic milliseconds, and milliseconds since the Unix epoch. */
  monotonic: () => number;
  now: () => number;
};

/** Node by itself looks every half minute for requests that take too long to arrive. */
const LOOK_FOR_LATE_MS = 1_000;
/** A request that takes so long to arrive gives its place to the next one when all are taken. */
const SLOW_MS = 1_000;
/** Longer than load balancers keep an idle connection: the side that closes first must not be the one that is about to be called. */
const KEEP_ALIVE_MS = 75_000;
/** How long a connection whose request is refused unread stays open, so that the answer can be read on the other side. */
const LINGER_MS = 1_000;

/** `headers`: names and values by turns. `body` is ASCII. */
type Reply = { status: number; body: string; headers?: readonly string[] };

const JSON_TYPE = ["content-type", "application/json"];
const NOT_FOUND: Reply = { status: 404, body: "" };
const TOO_LARGE: Reply = { status: 413, body: "" };
const BROKEN_OFF: Reply = { status: 400, body: "" };
const NOT_ALLOWED: Reply = { status: 405, body: "", headers: ["allow", "POST"] };

/** Clients of proxies name the host in the target too, which the path does not depend on. */
const SCHEME_AND_HOST = /^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i;
const pathOf = (target: string): string => {
  const path = target.startsWith("/") ? target : target.replace(SCHEME_AND_HOST, "");
  const query = path.indexOf("?");
  return query === -1 ? path : path.slice(0, query);
};

/** The token that ends the path, percent-encoding untouched; null on another path. */
const tokenOf = (path: string, route: string): string | null => {
  const token = path.startsWith(`${route}/`) ? path.slice(route.length + 1) : "";
  return token === "" || token.includes("/") ? null : token;
};

const replyTo = (reception: Reception): Reply => {
  switch (reception.kind) {
    case "published":
    case "duplicate":
      return { status: 200, body: `{"eventId":"${reception.event.eventId}"}`, headers: JSON_TYPE };
    case "deadLettered":
      return { status: 200, body: '{"deadLettered":true}', headers: JSON_TYPE };
    case "refused":
      return { status: reception.status, body: "" };
  }
};

const send = (response: ServerResponse, { status, body, headers = [] }: Reply): void => {
  response.writeHead(status, [...headers, "content-length", String(body.length)]).end(body);
};

/** The answer is whole when it is flushed. To end it would close the connection at once: unread bytes make that a reset, and the answer is lost. */
const sendAndClose = (
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers = [] }: Reply,
): void => {
  request.pause();
  response.writeHead(status, [...headers, "content-length", "0", "connection", "close"]).flushHeaders();
  setTimeout(() => request.socket.destroy(), LINGER_MS).unref();
};

/** The public listener: one route. It answers 2xx only after the flow has resolved, and whatever is our fault with 503. */
export const createWebhookServer = (options: AcceptOptions, ports: AcceptPorts): Server => {
  const busy: Reply = {
    status: 503,
    body: "",
    headers: ["retry-after", String(options.retryAfterSeconds)],
  };
  let inFlight = 0;
  /** The earliest in front. */
  const arriving = new LinkedList<{ giveUp: () => void; startedAt: number }>();

  /** Whether a slow request could be given up: senders that drip must not keep out those that do not. */
  const makeRoom = (nowMs: number): boolean => {
    const earliest = arriving.first;
    if (earliest === null || nowMs - earliest.value.startedAt < SLOW_MS) return false;
    earliest.value.giveUp();
    return true;
  };

  /** What is said to a request whose body was not read to its end. */
  const refusalOf = (why: Exclude<Body, { ok: true }>["why"]): Reply => {
    switch (why) {
      case "too large":
        return TOO_LARGE;
      case "broken off":
        return BROKEN_OFF;
      case "given up":
        return busy;
    }
  };

  const answer = (request: IncomingMessage, response: ServerResponse, token: string | null): void => {
    const startedAt = ports.monotonic();
    const receivedAt = ports.now();
    const finish = (
      reply: Reply,
      reception: Reception | null = null,
      error: unknown = null,
      close = false,
    ): void => {
      try {
        if (close) sendAndClose(request, response, reply);
        else send(response, reply);
        ports.served({ status: reply.status, startedAt, reception, error });
      } catch {
        response.destroy();
      }
    };
    if (!ports.isOpen()) {
      finish(busy);
      return;
    }
    if (declaresMore(request, options.maxBodyBytes)) {
      finish(TOO_LARGE, null, null, true);
      return;
    }
    if (inFlight >= options.maxInFlight && !makeRoom(startedAt)) {
      finish(busy);
      return;
    }
    inFlight += 1;
    const giveUp = readBody(request, options.maxBodyBytes, (body) => {
      arriving.remove(link);
      if (!body.ok) {
        inFlight -= 1;
        finish(refusalOf(body.why), null, null, true);
        return;
      }
      const { headers } = request;
      const peerAddress = request.socket.remoteAddress ?? "";
      const received = (reception: Reception): void => {
        inFlight -= 1;
        finish(replyTo(reception), reception);
      };
      const failed = (error: unknown): void => {
        inFlight -= 1;
        finish(busy, null, error);
      };
      try {
        ports
          .receive({ pathToken: token, headers, body: body.bytes, peerAddress, receivedAt })
          .then(received, failed);
      } catch (error) {
        failed(error);
      }
    });
    const link = arriving.add({ giveUp, startedAt });
  };

  const route = (request: IncomingMessage, response: ServerResponse): void => {
    const path = pathOf(request.url ?? "");
    const token = options.pathToken ? tokenOf(path, options.path) : null;
    if (options.pathToken ? token === null : path !== options.path) send(response, NOT_FOUND);
    else if (request.method !== "POST") send(response, NOT_ALLOWED);
    else answer(request, response, token);
  };

  const server = createServer(
    {
      // Left at its default of a minute, the one would change places with the other, which has to be the longer one.
      headersTimeout: options.arrivalTimeoutMs,
      requestTimeout: options.arrivalTimeoutMs,
      connectionsCheckingInterval: LOOK_FOR_LATE_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
    },
    route,
  );
  // Whoever says no more after its request still hears the answer. (The option of the constructor is another one.)
  Object.assign(server, { httpAllowHalfOpen: true });
  server.maxConnections = options.maxConnections;
  server.on("drop", () => server.closeIdleConnections());
  server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
    // Where the body is too large by what it declares, whatever the answer is then: the connection cannot be used again without it.
    if (declaresMore(request, options.maxBodyBytes)) response.shouldKeepAlive = false;
    else response.writeContinue();
    server.emit("request", request, response);
  });
  return server;
};
