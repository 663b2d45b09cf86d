import type { Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import { consoleApp } from "./app.ts";
import type { Site } from "./site.ts";

/** Far more than a team needs. */
const MAX_CONNECTIONS = 512;
/** For headers and for the whole request. Node's own default is a minute, checked every 30 s. */
const ARRIVAL_TIMEOUT_MS = 10_000;
const LOOK_EVERY_MS = 1_000;

/** The pages behind node's HTTP server, with bounds on connections and slow requests. */
export const createConsoleServer = (site: Site): Server => {
  const server = createAdaptorServer({
    fetch: consoleApp(site).fetch,
    serverOptions: {
      headersTimeout: ARRIVAL_TIMEOUT_MS,
      requestTimeout: ARRIVAL_TIMEOUT_MS,
      connectionsCheckingInterval: LOOK_EVERY_MS,
    },
  }) as Server;
  server.maxConnections = MAX_CONNECTIONS;
  server.on("drop", () => server.closeIdleConnections());
  return server;
};
