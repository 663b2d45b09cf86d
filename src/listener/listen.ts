import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { UsageError } from "../runtime/errors.ts";

/** Rejects with a UsageError that names what to change if the port cannot be opened. @param setting such as X_PORT */
export const listen = (server: Server, host: string, port: number, setting: string): Promise<AddressInfo> =>
  new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const remedy =
        error.code === "EADDRINUSE"
          ? `another process listens there: end it, or set ${setting} to another port`
          : `see that ${setting.replace("PORT", "HOST")} is an address of this machine, and that this user may use the port`;
      const code = error.code ?? error.message;
      reject(new UsageError(`${setting}: cannot listen on ${host}:${port} (${code}); ${remedy}.`));
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
