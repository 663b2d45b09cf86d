import type { Socket } from "node:net";
import { Client, errors } from "undici";

/** An idle connection is closed after so long, earlier where the partner says that it will. */
const IDLE_MS = 2_000;
/** Room for an answer's headers. Beyond it they cannot be read. */
const MAX_HEADER_BYTES = 256 * 1024;

/**
 * An HTTP client that has this one connection and never another. A client that loses its connection asks for a new one, again and
 * again; this one gets an error then, which ends what it still had to send.
 * @param socket nothing was sent on it
 */
export const clientOf = (socket: Socket, origin: URL): Client => {
  let given = false;
  return new Client(origin, {
    pipelining: 1,
    // Whoever uses the connection has deadlines of his own.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    connect: (_, callback) => {
      const first = !given;
      given = true;
      // The client is not ready for an answer before it has returned from asking.
      queueMicrotask(() => {
        if (first) callback(null, socket);
        else callback(new Error("the connection was closed before the request"), null);
      });
    },
  });
};

/** Whether a client closed its connection because of what came over it: no answer, or an answer when nothing was asked. */
export const isUnasked = (error: Error | null): boolean =>
  error instanceof errors.HTTPParserError ||
  (error instanceof errors.SocketError && error.message === "bad response");
