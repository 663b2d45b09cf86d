import type { IncomingMessage, Server } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import { Hono, type Context, type MiddlewareHandler } from "hono";
import { createListener, type ListenerOptions } from "../listener/listener.ts";
import type { Connections } from "../listener/connections.ts";
import type { FairReader } from "../listener/fair-reader.ts";
import { answerEarly, answerUnread, awaitsContinue } from "../listener/read-body.ts";
import { declaresMore, readBody, type Unread } from "../listener/read-body.ts";
import type { Span } from "../runtime/traces.ts";
import { createArrivals } from "./arrivals.ts";
import type { DeliveryOutcome, WebhookFlow } from "./flow.ts";

export type WebhookServerOptions = Pick<ListenerOptions, "maxConnections" | "arrivalTimeoutMs"> & {
  path: string;
  /** Whether a slash and a token follow the path. */
  pathToken: boolean;
  maxBodyBytes: number;
  /** Requests in progress at once, beyond which the answer is 503. */
  maxInFlight: number;
};

/** How a request ended, for metrics and the log. `outcome` is null when the request did not reach the flow. */
export type ServedRequest = {
  status: number;
  /** On the monotonic clock. */
  startedAt: number;
  outcome: DeliveryOutcome | null;
  peerAddress: string;
  error: unknown;
  span: Span | undefined;
};

export type WebhookPorts = {
  /** Null while starting and shutting down: then every answer is 503. */
  flow: () => WebhookFlow | null;
  served: (request: ServedRequest) => void;
  trace?: (headers: IncomingMessage["headers"]) => Span | undefined;
  clock: { monotonic: () => number; now: () => number };
};

type Env = { Bindings: HttpBindings };

/** Answers are small here, so that waiting ones take little memory. */
const MAX_PIPELINED = 16;
const RETRY_AFTER = { "retry-after": "5" };

const lastSegmentOf = ({ url = "" }: IncomingMessage): string => {
  const [path = ""] = url.split("?", 1);
  return path.slice(path.lastIndexOf("/") + 1);
};

const answerTo = (c: Context, outcome: DeliveryOutcome): Response => {
  switch (outcome.kind) {
    case "published":
    case "duplicate":
      return c.json({ eventId: outcome.event.eventId });
    case "deadLettered":
      return c.json({ deadLettered: true });
    case "refused":
      return c.body("", outcome.status);
  }
};

/** Answers 2xx only after the flow has resolved, and 503 for every failure of the bridge itself. */
const webhookApp = (
  { path, pathToken, maxBodyBytes, maxInFlight }: WebhookServerOptions,
  { clock, ...ports }: WebhookPorts,
  { fairReader, connections }: { fairReader: FairReader; connections: Connections },
  middleware: readonly MiddlewareHandler[],
): Hono<Env> => {
  let inFlight = 0;
  const arrivals = createArrivals();

  let arrivedBodies: (() => void)[] = [];
  /** Delivers all bodies of a turn of the event loop together: under load that saves processor time. */
  const deliverTogether = (deliver: () => void): void => {
    if (arrivedBodies.push(deliver) > 1) return;
    setImmediate(() => {
      const deliveries = arrivedBodies;
      arrivedBodies = [];
      for (const each of deliveries) each();
    });
  };

  const read = (incoming: IncomingMessage, startedAt: number): Promise<Buffer | Unread> =>
    new Promise((resolve) => {
      const giveUp = readBody(incoming, { maxBytes: maxBodyBytes, fairReader }, (body) => {
        arrivals.remove(arrival);
        deliverTogether(() => resolve(body));
      });
      const arrival = arrivals.add(giveUp, startedAt);
    });

  const early = ({ env }: Context<Env>, status: number, headers?: Record<string, string>): Response =>
    answerEarly(env.incoming, status, maxBodyBytes, headers);

  const app = new Hono<Env>();
  for (const handler of middleware) app.use(handler);

  // One handler for all methods: Hono would compose several anew for each request.
  app.all(pathToken ? `${path}/:token` : path, async (c) => {
    if (c.req.method !== "POST") return early(c, 405, { allow: "POST" });
    const { incoming, outgoing } = c.env;
    const startedAt = clock.monotonic();
    const receivedAt = clock.now();
    const peerAddress = incoming.socket.remoteAddress ?? "";
    const span = ports.trace?.(incoming.headers);
    const report = (response: Response, outcome: DeliveryOutcome | null = null, error: unknown = null) => {
      ports.served({ status: response.status, startedAt, outcome, peerAddress, error, span });
      return response;
    };
    const flow = ports.flow();
    if (flow === null) return report(early(c, 503, RETRY_AFTER));
    const reception = flow({
      pathToken: pathToken ? lastSegmentOf(incoming) : null,
      headers: incoming.headers,
      peerAddress,
      receivedAt,
      span,
    });
    if (reception.kind === "refused") return report(early(c, reception.status), reception);
    if (declaresMore(incoming, maxBodyBytes)) return report(answerUnread(incoming, 413));
    if (inFlight >= maxInFlight && !arrivals.giveUpIfSlow(startedAt))
      return report(early(c, 503, RETRY_AFTER));
    inFlight += 1;
    try {
      if (awaitsContinue(incoming)) outgoing.writeContinue();
      // Read from node's own request: the fetch API costs a fifth of the throughput, and has no size limit.
      const body = await read(incoming, startedAt);
      if (body === "too large") return report(answerUnread(incoming, 413));
      if (body === "given up") return report(answerUnread(incoming, 503, RETRY_AFTER));
      if (body === "broken off") return report(c.body("", 400));
      // From here on a new connection must not close this one.
      connections.protect(incoming.socket);
      const outcome = await reception.handleBody(body);
      return report(answerTo(c, outcome), outcome);
    } catch (error) {
      return report(c.body("", 503, RETRY_AFTER), null, error);
    } finally {
      inFlight -= 1;
      connections.unprotect(incoming.socket);
    }
  });
  app.notFound((c) => early(c, 404));
  // Only middleware can throw here.
  app.onError((_, c) => early(c, 503, RETRY_AFTER));
  return app;
};

/** The public listener. Its app reads a body only after it has admitted the head. */
export const createWebhookServer = (
  options: WebhookServerOptions,
  ports: WebhookPorts,
  middleware: readonly MiddlewareHandler[] = [],
): Server => {
  const { maxConnections, arrivalTimeoutMs } = options;
  const server = createListener(
    { maxConnections, arrivalTimeoutMs, maxPipelined: MAX_PIPELINED, maxBodyBytes: null, needsHost: false },
    (shared) => webhookApp(options, ports, shared, middleware).fetch,
  );
  // Node would tell the sender to go on; the app does so after it has admitted the head.
  server.on("checkContinue", (request, response) => server.emit("request", request, response));
  return server;
};
