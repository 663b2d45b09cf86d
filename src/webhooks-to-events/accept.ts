import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { Hono } from "hono";
import type { RawDelivery } from "./delivery.ts";
import type { Reception } from "./flow.ts";
import { readBody } from "./read-body.ts";

export type AcceptOptions = {
  path: string;
  /** Whether the path is followed by a slash and a token. */
  pathToken: boolean;
  maxBodyBytes: number;
  /** Requests in progress at once, beyond which the answer is 503. */
  maxInFlight: number;
  /** Said in Retry-After with a 503. */
  retryAfterSeconds: number;
};

/** How a request ended, for whoever counts and logs. `reception` is null where the flow did not come into it. */
export type Served = { status: number; startedAt: number; reception: Reception | null; error: unknown };

export type AcceptPorts = {
  receive: (delivery: RawDelivery) => Promise<Reception>;
  /** False while starting and shutting down: everything is answered 503. */
  isOpen: () => boolean;
  served: (request: Served) => void;
  /** Monotonic milliseconds, and milliseconds since the Unix epoch. */
  monotonic: () => number;
  now: () => number;
};

/** A request that takes longer to arrive is cut off: it must not hold a place for ever. */
const REQUEST_TIMEOUT_MS = 15_000;
/** Longer than load balancers keep an idle connection: the side that closes first must not be the one that is about to be called. */
const KEEP_ALIVE_MS = 75_000;
/** How long a connection whose request is refused unread stays open, so that the answer can be read on the other side. */
const LINGER_MS = 1_000;

/** `headers`: names and values by turns. `body` is ASCII. */
type Reply = { status: number; body: string; headers?: readonly string[] };

const JSON_TYPE = ["content-type", "application/json"];

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

const sendAndClose = (request: IncomingMessage, response: ServerResponse, reply: Reply): void => {
  request.pause();
  send(response, { ...reply, headers: [...(reply.headers ?? []), "connection", "close"] });
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

  const answer = async (
    request: IncomingMessage,
    response: ServerResponse,
    token: string | null,
  ): Promise<void> => {
    const startedAt = ports.monotonic();
    const receivedAt = ports.now();
    const finish = (
      reply: Reply,
      reception: Reception | null = null,
      error: unknown = null,
      close = false,
    ): void => {
      if (close) sendAndClose(request, response, reply);
      else send(response, reply);
      ports.served({ status: reply.status, startedAt, reception, error });
    };
    if (!ports.isOpen() || inFlight >= options.maxInFlight) {
      finish(busy);
      return;
    }
    inFlight += 1;
    try {
      const body = await readBody(request, options.maxBodyBytes);
      if (!body.ok) {
        finish({ status: body.why === "too large" ? 413 : 400, body: "" }, null, null, true);
        return;
      }
      const { headers } = request;
      const peerAddress = request.socket.remoteAddress ?? "";
      const delivery: RawDelivery = { pathToken: token, headers, body: body.bytes, peerAddress, receivedAt };
      const reception = await ports.receive(delivery);
      finish(replyTo(reception), reception);
    } catch (error) {
      finish(busy, null, error);
    } finally {
      inFlight -= 1;
    }
  };

  const app = new Hono<{ Bindings: HttpBindings }>();
  const route = options.pathToken ? `${options.path}/:token` : options.path;
  app.post(route, async ({ env: { incoming, outgoing } }) => {
    // The token is compared as it came: what Hono makes of percent signs does not matter.
    const path = (incoming.url ?? "").split("?", 1)[0] ?? "";
    await answer(incoming, outgoing, options.pathToken ? path.slice(options.path.length + 1) : null);
    return RESPONSE_ALREADY_SENT;
  });
  app.all(route, (context) => context.body(null, 405, { allow: "POST" }));
  app.notFound((context) => context.body(null, 404));
  const throughRouter = getRequestListener(app.fetch, { autoCleanupIncoming: false });

  const server = createServer((request, response) => {
    // What nearly every request asks for needs no router, which would cost a twentieth of the throughput.
    if (!options.pathToken && request.method === "POST" && request.url === options.path)
      answer(request, response, null).catch(() => response.destroy());
    else void throughRouter(request, response);
  });
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
    const declared = Number(request.headers["content-length"] ?? 0);
    if (declared > options.maxBodyBytes) sendAndClose(request, response, { status: 413, body: "" });
    else {
      response.writeContinue();
      server.emit("request", request, response);
    }
  });
  return server;
};
