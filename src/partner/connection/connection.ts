import type { Socket } from "node:net";
import { Client } from "undici";
import { readAhead, type HeadReader } from "./status-line.ts";

/** Room for an answer's headers. Beyond it they cannot be read. */
const MAX_HEADER_BYTES = 256 * 1024;

/** A connection to the partner and what speaks HTTP on it. Carries one call at a time. */
export type Connection = {
  readonly socket: Socket;
  readonly client: Client;
  /** Has what arrives from now on pass through `feed` before it is parsed. */
  readonly readAhead: (feed: HeadReader["feed"]) => void;
  /** Ends it, and with it what has been written and is still on its way. */
  readonly giveUp: () => void;
};

/**
 * An HTTP client that has this one connection and never another. A client that loses its connection asks for a new one, again and
 * again; this one gets an error then, which ends what it still had to send. It closes the connection as soon as anything but the answer to
 * its request comes over it, or when the partner says that it is the last answer.
 * @param socket nothing was sent on it
 * @param maxIdleMs it closes the connection, too, when that has been idle for so long
 */
export const clientOf = (socket: Socket, origin: URL, maxIdleMs = 0): Client => {
  let given = false;
  return new Client(origin, {
    pipelining: 1,
    // Whoever uses the connection has deadlines of his own.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: Math.max(maxIdleMs, 1),
    keepAliveMaxTimeout: Math.max(maxIdleMs, 1),
    // What the partner says of its own patience is judged by whoever uses the connection.
    keepAliveTimeoutThreshold: 0,
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

/** @param socket nothing was sent on it */
export const connectionOver = (
  socket: Socket,
  { origin, maxIdleMs, giveUp }: { origin: URL; maxIdleMs: number; giveUp: () => void },
): Connection => ({
  socket,
  client: clientOf(socket, origin, maxIdleMs),
  readAhead: readAhead(socket),
  giveUp,
});
