import type { Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import { Hono } from "hono";
import type { Registry } from "prom-client";
import type { Readiness } from "./health.ts";

/** Many times what probes and scrapes use. */
const MAX_CONNECTIONS = 256;
/** Node by itself gives a silent connection a minute, and looks every half. */
const REQUEST_TIMEOUT_MS = 10_000;
const CHECK_EVERY_MS = 1_000;

/** What orchestrators and operators ask: whether the process lives, whether it is ready, and its numbers. */
export const createManagementServer = (ports: { readiness: () => Readiness; registry: Registry }): Server => {
  const app = new Hono();
  app.get("/livez", (context) => context.json({ status: "alive" }));
  app.get("/readyz", (context) => {
    const readiness = ports.readiness();
    return context.json(readiness, readiness.status === "ready" ? 200 : 503);
  });
  app.get("/metrics", async (context) =>
    context.body(await ports.registry.metrics(), 200, { "content-type": ports.registry.contentType }),
  );
  // Probes of load balancers speak HTTP/1.0 and name no host; without one to fall back on the answer would be 400.
  const server = createAdaptorServer({
    fetch: app.fetch,
    hostname: "localhost",
    serverOptions: {
      headersTimeout: REQUEST_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: CHECK_EVERY_MS,
    },
  }) as Server;
  server.maxConnections = MAX_CONNECTIONS;
  server.on("drop", () => server.closeIdleConnections());
  return server;
};
