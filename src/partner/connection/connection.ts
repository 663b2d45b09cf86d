import type { Socket } from "node:net";
import type { Client } from "undici";
import type { Clock } from "../../runtime/clock.ts";
import { startStopwatch, type Stopwatch } from "../../runtime/stopwatch.ts";
import { clientOf, isUnasked } from "./single-connection.ts";
import { readAhead, type HeadReader } from "./status-line.ts";

/** A connection to the partner and what speaks HTTP on it. Carries one call at a time. */
export type Connection = {
  readonly socket: Socket;
  readonly client: Client;
  /** Has what arrives from now on pass through `feed` before it is parsed. */
  readonly readAhead: (feed: HeadReader["feed"]) => void;
  /** Since when it is open. */
  readonly age: Stopwatch;
  /** Whether something came over it that belongs to no answer. */
  readonly spoke: () => boolean;
  /** Ends it, and with it what has been written and is still on its way. */
  readonly giveUp: () => void;
};

/** @param socket nothing was sent on it */
export const connectionOver = (
  socket: Socket,
  { origin, clock, giveUp }: { origin: URL; clock: Clock; giveUp: () => void },
): Connection => ({
  socket,
  client: clientOf(socket, origin),
  readAhead: readAhead(socket),
  age: startStopwatch(clock),
  spoke: () => isUnasked(socket.errored),
  giveUp,
});
