import http, { type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Handles one request whose body was read in full; the body is null when it was too large to be read. */
export type Handler = (
  incoming: IncomingMessage,
  response: ServerResponse,
  body: Buffer | null,
) => Promise<void> | undefined;

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
    const failed = (error: unknown) => {
      // A bug of the sandbox must neither end it nor look like an answer of the partner's.
      if (!response.headersSent) response.writeHead(500, { "content-type": "text/plain; charset=utf-8" });
      response.end(
        `the sandbox itself failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
    };
    incoming.once("end", () => {
      // Copied even if there is one chunk only: it would keep the whole network buffer that it is a part of.
      const whole = Buffer.concat(chunks);
      try {
        handle(incoming, response, bytes > largestBodyBytes ? null : whole)?.catch(failed);
      } catch (error) {
        failed(error);
      }
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
