import type { Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import { consoleApp } from "./app.ts";
import type { ConsoleOptions, ConsolePorts } from "./options.ts";

/** Many times what the people of a team use, each with a stream or two. */
const MAX_CONNECTIONS = 512;
/** Node by itself gives a silent connection a minute, and looks every half. */
const ARRIVAL_TIMEOUT_MS = 10_000;
const LOOK_EVERY_MS = 1_000;

/** The pages behind node's HTTP server, with its bounds on what a browser may take up. */
export const createConsoleServer = (options: ConsoleOptions, ports: ConsolePorts): Server => {
  const server = createAdaptorServer({
    fetch: consoleApp(options, ports).fetch,
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
