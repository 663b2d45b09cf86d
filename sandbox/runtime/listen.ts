import http, { type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Handles a request whose body has been read. The body is null when it was too large. */
export type Handler = (
  incoming: IncomingMessage,
  response: ServerResponse,
  body: Buffer | null,
) => Promise<void>;

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
      // A bug in the sandbox must not end the process, and must not look like an answer of the partner.
      if (!response.headersSent) response.writeHead(500, { "content-type": "text/plain; charset=utf-8" });
      response.end(
        `the sandbox itself failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
    };
    incoming.once("end", () => {
      // Copied even when there is one chunk: a slice would keep its whole network buffer in memory.
      const whole = Buffer.concat(chunks);
      handle(incoming, response, bytes > largestBodyBytes ? null : whole).catch(failed);
    });
  };

/** Listens. Rejects with the system's error when that fails. `close` ends open connections too. */
export const listen = async (host: string, port: number, handle: Handler) => {
  const server = http.createServer({ keepAliveTimeout: 60_000 }, withBody(handle));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
