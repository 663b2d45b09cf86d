import type { IncomingMessage } from "node:http";
import { Hono, type Context, type MiddlewareHandler } from "hono";
import type { Span } from "../runtime/traces.ts";
import { answerEarly, answerUnread, awaitsContinue, type Env } from "../listener/read-body.ts";
import type { DeliveryOutcome, WebhookFlow } from "./flow.ts";
import { LinkedList, type EvictableConnections } from "../listener/connections.ts";
import { declaresMore, readBody, type Unread } from "../listener/read-body.ts";
import type { FairReader } from "../listener/connections.ts";

export type WebhookOptions = {
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
  /** Begins the span of a request; absent when tracing is off. */
  trace?: ((headers: IncomingMessage["headers"]) => Span) | undefined;
  /** Milliseconds: monotonic ones, and those since the Unix epoch. */
  clock: { monotonic: () => number; now: () => number };
};

const RETRY_AFTER = { "retry-after": "5" };
/** When as many requests are in progress as may be, one that has been arriving for longer gives way to a new one. */
const SLOW_MS = 250;

/** The last segment of the request's path, percent-encoding untouched. */
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

const refuse = (c: Context<Env>, why: Unread): Response => {
  switch (why) {
    case "too large":
      return answerUnread(c, 413);
    case "given up":
      return answerUnread(c, 503, RETRY_AFTER);
    case "broken off":
      return c.body("", 400);
  }
};

/**
 * The only route of the public listener. It answers 2xx only after the flow has resolved, and 503 for every
 * failure of the bridge itself.
 */
export const createWebhookApp = (
  { path, pathToken, maxBodyBytes, maxInFlight }: WebhookOptions,
  { clock, ...ports }: WebhookPorts,
  { fairReader, connections }: { fairReader: FairReader; connections: EvictableConnections },
  middleware: readonly MiddlewareHandler[] = [],
): Hono<Env> => {
  let inFlight = 0;
  /** Requests whose body is not complete yet, the oldest first. */
  const arriving = new LinkedList<{ giveUp: () => void; startedAt: number }>();

  let arrivedBodies: (() => void)[] = [];
  /**
   * Delivers all bodies that have arrived in a turn of the event loop together, after the last one was read: under load
   * that saves processor time.
   */
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
      const yieldTurn = (): void => fairReader.deferBusy(incoming.socket);
      const giveUp = readBody(incoming, { maxBytes: maxBodyBytes, yieldTurn }, (body) => {
        arriving.remove(arrival);
        deliverTogether(() => resolve(body));
      });
      const arrival = arriving.add({ giveUp, startedAt });
    });

  /** Gives up the oldest request if it is slow: slow senders must not lock out the others. */
  const giveUpOldestIfSlow = (nowMs: number): boolean => {
    const oldest = arriving.first;
    if (!oldest || nowMs - oldest.startedAt < SLOW_MS) return false;
    oldest.giveUp();
    return true;
  };

  const unavailable = (c: Context<Env>): Response => answerEarly(c, 503, maxBodyBytes, RETRY_AFTER);

  const app = new Hono<Env>();
  for (const handler of middleware) app.use(handler);

  // One handler for all methods: Hono would compose several anew for each request.
  app.all(pathToken ? `${path}/:token` : path, async (c) => {
    if (c.req.method !== "POST") return answerEarly(c, 405, maxBodyBytes, { allow: "POST" });
    const { incoming, outgoing } = c.env;
    const startedAt = clock.monotonic();
    const receivedAt = clock.now();
    const peerAddress = incoming.socket.remoteAddress ?? "";
    const span = ports.trace?.(incoming.headers);
    const report = (
      response: Response,
      outcome: DeliveryOutcome | null = null,
      error: unknown = null,
    ): Response => {
      ports.served({ status: response.status, startedAt, outcome, peerAddress, error, span });
      return response;
    };
    const flow = ports.flow();
    if (flow === null) return report(unavailable(c));
    const reception = flow({
      pathToken: pathToken ? lastSegmentOf(incoming) : null,
      headers: incoming.headers,
      peerAddress,
      receivedAt,
      span,
    });
    if (reception.kind === "refused")
      return report(answerEarly(c, reception.status, maxBodyBytes), reception);
    if (declaresMore(incoming, maxBodyBytes)) return report(refuse(c, "too large"));
    if (inFlight >= maxInFlight && !giveUpOldestIfSlow(startedAt)) return report(unavailable(c));
    inFlight += 1;
    try {
      if (awaitsContinue(incoming)) outgoing.writeContinue();
      // Read from node's own request: the fetch API costs a fifth of the throughput, and has no size limit.
      const body = await read(incoming, startedAt);
      if (typeof body === "string") return report(refuse(c, body));
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
  app.notFound((c) => answerEarly(c, 404, maxBodyBytes));
  // Only middleware can throw here.
  app.onError((_, c) => unavailable(c));
  return app;
};
