import type { IncomingMessage } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import { declaresMore } from "./read-body.ts";
import { stopReading } from "./turns.ts";

/** How long the connection stays open when the body is not read, so that the sender can read the answer. */
const LINGER_MS = 1_000;
const AWAITS_CONTINUE = /\b100-continue\b/i;

/** Node's own request and response. */
export type Env = { Bindings: HttpBindings };

type EarlyStatus = 401 | 404 | 405 | 413 | 503;

/** Whether the sender waits to be told to send the body. */
export const awaitsContinue = ({ headers, httpVersion }: IncomingMessage): boolean =>
  httpVersion === "1.1" && headers.expect !== undefined && AWAITS_CONTINUE.test(headers.expect);

/**
 * An empty body that ends after a while. The end closes the connection; with unread bytes that is a reset,
 * which can overtake the answer.
 */
const lingeringBody = (): ReadableStream => {
  let timer: NodeJS.Timeout;
  return new ReadableStream({
    start: (controller) => {
      timer = setTimeout(() => controller.close(), LINGER_MS).unref();
    },
    cancel: () => clearTimeout(timer),
  });
};

/** Answers without reading the rest of the request, and closes the connection. */
export const answerUnread = (
  c: Context<Env>,
  status: EarlyStatus,
  headers: Record<string, string> = {},
): Response => {
  // Pieces of the body that node has read already are dropped: a paused request keeps each as an object.
  c.env.incoming.on("data", () => undefined);
  stopReading(c.env.incoming.socket);
  return c.body(lingeringBody(), status, { ...headers, "content-length": "0", connection: "close" });
};

/** Answers before the body is read: keeps the connection only where little of it can follow. */
export const answerEarly = (
  c: Context<Env>,
  status: EarlyStatus,
  maxBodyBytes: number,
  headers: Record<string, string> = {},
): Response => {
  const { incoming } = c.env;
  const isBounded =
    incoming.headers["transfer-encoding"] === undefined &&
    !declaresMore(incoming, maxBodyBytes) &&
    !awaitsContinue(incoming);
  return isBounded ? c.body("", status, headers) : answerUnread(c, status, headers);
};
