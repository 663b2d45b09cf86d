import http, { type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Handles one request whose body was read in full; the body is null when it was too large to be read. */
export type Handler = (incoming: IncomingMessage, response: ServerResponse, body: Buffer | null) => void;

const largestBodyBytes = 1_048_576;

const withBody =
  (handle: Handler): RequestListener =>
  (incoming, response) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    incoming.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= largestBodyBytes) chunks.push(chunk);
    });
    incoming.once("end", () => {
      const [only] = chunks;
      handle(
        incoming,
        response,
        bytes > largestBodyBytes ? null : only && chunks.length === 1 ? only : Buffer.concat(chunks),
      );
    });
  };

export type Listener = { url: string; close: () => Promise<void> };

/** Listens; rejects with the system's error when the address cannot be had. Closing also ends open connections. */
export const listen = async (host: string, port: number, handle: Handler): Promise<Listener> => {
  const server = http.createServer({ keepAliveTimeout: 60_000 }, withBody(handle));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
