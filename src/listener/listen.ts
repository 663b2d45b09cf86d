import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { UsageError } from "../runtime/errors.ts";

/** Rejects with a UsageError that names the setting if the port cannot be opened. */
export const listen = (server: Server, host: string, port: number, setting: string): Promise<AddressInfo> =>
  new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      reject(
        new UsageError(`${setting}: cannot listen on ${host}:${port} (${error.code ?? error.message}).`),
      );
    });
    server.listen(port, host, () => resolve(server.address() as AddressInfo));
  });

const SWEEP_EVERY_MS = 50;

/** Lets requests finish for `drainMs`. Each answer closes its connection, because a busy sender would keep it open. */
export const closeServer = (server: Server, drainMs: number): Promise<void> =>
  new Promise((resolve) => {
    if (!server.listening) {
      resolve();
      return;
    }
    server.prependListener("request", (_request, response) => (response.shouldKeepAlive = false));
    const sweepTimer = setInterval(() => server.closeIdleConnections(), SWEEP_EVERY_MS);
    const drainTimer = setTimeout(() => server.closeAllConnections(), drainMs);
    server.close(() => {
      clearInterval(sweepTimer);
      clearTimeout(drainTimer);
      resolve();
    });
  });
