import type { Server } from "node:http";
import type { MiddlewareHandler } from "hono";
import { createListener, type ListenerOptions } from "../listener/listener.ts";
import { createWebhookApp, type WebhookOptions, type WebhookPorts } from "./webhook-app.ts";

export type WebhookServerOptions = WebhookOptions &
  Pick<ListenerOptions, "maxConnections" | "arrivalTimeoutMs">;

/** Answers are small here, so that waiting ones take little memory. */
const MAX_PIPELINED = 16;

/** The public listener. Its app reads a body only after it has admitted the head. */
export const createWebhookServer = (
  options: WebhookServerOptions,
  ports: WebhookPorts,
  middleware: readonly MiddlewareHandler[] = [],
): Server => {
  const { maxConnections, arrivalTimeoutMs } = options;
  const bounds = {
    maxConnections,
    arrivalTimeoutMs,
    maxPipelined: MAX_PIPELINED,
    maxBodyBytes: null,
    needsHost: false,
  };
  const server = createListener(
    bounds,
    (shared) => createWebhookApp(options, ports, shared, middleware).fetch,
  );
  // Node would tell the sender to go on; the app does so after it has admitted the head.
  server.on("checkContinue", (request, response) => server.emit("request", request, response));
  return server;
};
