import { AssertionError } from "node:assert";
import type { Socket } from "node:net";
import { Client } from "undici";
import { readAhead } from "./status-line.ts";

/** Larger headers make an answer unreadable. */
const MAX_HEADER_BYTES = 256 * 1024;

/** Why there was no connection or no answer. */
export const reasonOf = (error: unknown): string => {
  // Node.js throws an AggregateError without a message if all addresses of a host fail.
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  // undici asserts that an answer's status is 100 or more; the text of an assertion is code.
  if (error instanceof AssertionError) return "the answer has no valid status";
  // OpenSSL's message names addresses and lines of its code; its reason says what happened.
  if (error instanceof Error && "library" in error && "reason" in error)
    return `TLS: ${String(error.reason)}`;
  return error instanceof Error ? error.message : String(error);
};

/**
 * A client that loses its connection asks for a new one: it gets an error instead, so that no request is repeated. It
 * closes the connection when anything but its answer arrives, when that is the last, or when idle for `maxIdleMs`.
 * @param socket nothing may have been sent on it
 */
export const clientOf = (socket: Socket, origin: URL, maxIdleMs = 0): Client => {
  let isGiven = false;
  return new Client(origin, {
    pipelining: 1,
    // The callers have their own deadlines.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: Math.max(maxIdleMs, 1),
    keepAliveMaxTimeout: Math.max(maxIdleMs, 1),
    // The partner's Keep-Alive header is evaluated in transport.ts.
    keepAliveTimeoutThreshold: 0,
    maxHeaderSize: MAX_HEADER_BYTES,
    connect: (_, callback) => {
      const first = !isGiven;
      isGiven = true;
      // The client does not expect the callback before `connect` has returned.
      queueMicrotask(() => {
        if (first) callback(null, socket);
        else callback(new Error("the connection was closed before the request"), null);
      });
    },
  });
};

/** A connection to the partner and its HTTP client, for one call at a time. @param socket nothing may have been sent on it */
export const connectionOver = (
  socket: Socket,
  { origin, maxIdleMs, giveUp }: { origin: URL; maxIdleMs: number; giveUp: () => void },
) => ({
  socket,
  client: clientOf(socket, origin, maxIdleMs),
  /** Lets what arrives from now on pass through its argument before it is parsed. */
  readAhead: readAhead(socket),
  /** Ends it, and discards what has been written and not sent yet. */
  giveUp,
});

export type Connection = ReturnType<typeof connectionOver>;
