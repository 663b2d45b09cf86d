import type { IncomingMessage } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import { Hono, type Context, type MiddlewareHandler } from "hono";
import type { Span } from "../runtime/traces.ts";
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
  /** Said in Retry-After with a 503. */
  retryAfterSeconds: number;
};

/** How a request ended, for metrics and the log. `reception` is null where the flow was not reached. */
export type Served = {
  status: number;
  startedAt: number;
  reception: Reception | null;
  error: unknown;
  span: Span | undefined;
};

export type AcceptPorts = {
  receive: (delivery: RawDelivery) => Promise<Reception>;
  /** False while starting and shutting down: everything is answered 503. */
  isOpen: () => boolean;
  served: (request: Served) => void;
  /** Begins the span of a request; absent where there are no traces. */
  trace?: ((headers: IncomingMessage["headers"]) => Span) | undefined;
  /** Monotonic milliseconds, and milliseconds since the Unix epoch. */
  monotonic: () => number;
  now: () => number;
};

type Env = { Bindings: HttpBindings };
export type WebhookApp = Hono<Env>;

/** A request that takes so long to arrive gives its place to the next one when all are taken. */
const SLOW_MS = 1_000;
/** How long a connection whose request is refused unread stays open, so that the sender can read the answer. */
const LINGER_MS = 1_000;

/** The last segment of the request's path, percent-encoding untouched. */
const lastSegmentOf = ({ url = "" }: IncomingMessage): string => {
  const [path = ""] = url.split("?", 1);
  return path.slice(path.lastIndexOf("/") + 1);
};

/** An empty body that ends later. The end closes the connection, and bytes that were not read make that a reset, which can overtake the answer. */
const emptyBodyThatEndsLater = (): ReadableStream => {
  let timer: NodeJS.Timeout;
  return new ReadableStream({
    start: (controller) => {
      timer = setTimeout(() => controller.close(), LINGER_MS).unref();
    },
    cancel: () => clearTimeout(timer),
  });
};

/** Answers, and closes the connection without reading what is left of the request. */
const close = (c: Context, status: 413 | 503, headers: Record<string, string> = {}): Response =>
  c.body(emptyBodyThatEndsLater(), status, { ...headers, "content-length": "0", connection: "close" });

const replyTo = (c: Context, reception: Reception): Response => {
  switch (reception.kind) {
    case "published":
    case "duplicate":
      return c.json({ eventId: reception.event.eventId });
    case "deadLettered":
      return c.json({ deadLettered: true });
    case "refused":
      return c.body("", reception.status);
  }
};

/** The public listener's one route. It answers 2xx only after the flow has resolved, and whatever is our fault with 503. */
export const createWebhookApp = (
  options: AcceptOptions,
  ports: AcceptPorts,
  middleware: readonly MiddlewareHandler[] = [],
): WebhookApp => {
  const retryAfter = { "retry-after": String(options.retryAfterSeconds) };
  let inFlight = 0;
  /** Requests whose body is not complete yet, the earliest first. */
  const arriving = new Set<{ giveUp: () => void; startedAt: number }>();

  const read = (incoming: IncomingMessage, startedAt: number): Promise<Body> =>
    new Promise((resolve) => {
      const giveUp = readBody(incoming, options.maxBodyBytes, (body) => {
        arriving.delete(arrival);
        // All that has arrived is read first, then each is verified and published: one kind of work at a time keeps the processor's
        // caches warm, and saves a tenth of the processor time under load.
        setImmediate(resolve, body);
      });
      const arrival = { giveUp, startedAt };
      arriving.add(arrival);
    });

  /** Whether a slow request could be given up: slow senders must not keep out the others. */
  const makeRoom = (nowMs: number): boolean => {
    const [earliest] = arriving;
    if (!earliest || nowMs - earliest.startedAt < SLOW_MS) return false;
    earliest.giveUp();
    return true;
  };

  const busy = (c: Context): Response => c.body("", 503, retryAfter);
  const refuse = (c: Context, why: Exclude<Body, { ok: true }>["why"]): Response => {
    switch (why) {
      case "too large":
        return close(c, 413);
      case "given up":
        return close(c, 503, retryAfter);
      case "broken off":
        return c.body("", 400);
    }
  };

  const app: WebhookApp = new Hono();
  for (const handler of middleware) app.use(handler);
  const route = options.pathToken ? `${options.path}/:token` : options.path;

  app.post(route, async (c) => {
    const { incoming } = c.env;
    const startedAt = ports.monotonic();
    const receivedAt = ports.now();
    const span = ports.trace?.(incoming.headers);
    const served = (
      response: Response,
      reception: Reception | null = null,
      error: unknown = null,
    ): Response => {
      ports.served({ status: response.status, startedAt, reception, error, span });
      return response;
    };
    if (!ports.isOpen()) return served(busy(c));
    if (declaresMore(incoming, options.maxBodyBytes)) return served(refuse(c, "too large"));
    if (inFlight >= options.maxInFlight && !makeRoom(startedAt)) return served(busy(c));
    inFlight += 1;
    try {
      // Read from node's own request: by way of the fetch API it costs a fifth of the throughput, and has no bound.
      const body = await read(incoming, startedAt);
      if (!body.ok) return served(refuse(c, body.why));
      const reception = await ports.receive({
        pathToken: options.pathToken ? lastSegmentOf(incoming) : null,
        headers: incoming.headers,
        body: body.bytes,
        peerAddress: incoming.socket.remoteAddress ?? "",
        receivedAt,
        span,
      });
      return served(replyTo(c, reception), reception);
    } catch (error) {
      return served(busy(c), null, error);
    } finally {
      inFlight -= 1;
    }
  });
  app.all(route, (c) => c.body("", 405, { allow: "POST" }));
  app.notFound((c) => c.body("", 404));
  // What middleware throws.
  app.onError((_, c) => busy(c));
  return app;
};
