import type { Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import { Hono } from "hono";
import type { Registry } from "prom-client";

/** One component of readiness. While a required one is down, the process is not ready. */
export type Component = { up: boolean; detail: string; required: boolean };

export type Readiness = {
  status: "ready" | "unready";
  components: Record<string, { status: "up" | "down"; detail: string }>;
};

/** The answer of /readyz: ready when every required component is up. */
export const readinessOf = (components: Readonly<Record<string, Component>>): Readiness => ({
  status: Object.values(components).every(({ up, required }) => up || !required) ? "ready" : "unready",
  components: Object.fromEntries(
    Object.entries(components).map(([name, { up, detail }]) => [
      name,
      { status: up ? "up" : "down", detail },
    ]),
  ),
});

/** Far more than probes and scrapes need. */
const MAX_CONNECTIONS = 256;
/** Node's defaults give a silent connection a minute, and check every 30 s. */
const REQUEST_TIMEOUT_MS = 10_000;
const CHECK_EVERY_MS = 1_000;

/** The management listener: liveness, readiness and Prometheus metrics. */
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
  // Load balancers probe with HTTP/1.0 and send no Host header; without a default host they would get 400.
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
