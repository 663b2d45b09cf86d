import type { Clock } from "../../runtime/clock.ts";
import { startStopwatch, type Stopwatch } from "../../runtime/stopwatch.ts";
import type { Connection } from "./connection.ts";

/**
 * A connection is used again only while it has been idle for this share of the time for which the partner keeps it open: a call must not meet
 * the partner that is closing it. Clocks, latency and a timer of the partner that fires early have room in the rest.
 */
const USABLE_SHARE = 1 / 4;

/** How long a connection may be idle and still carry another call; 0 where each call has its own. */
export const usableIdleMs = (keepAliveMs: number): number => Math.floor(keepAliveMs * USABLE_SHARE);

type Idle = { connection: Connection; idleMs: Stopwatch };

export type Reusable = {
  connection: Connection;
  /** Whether it may carry a call even now. To be asked in the step that writes the request: a process may stand still before that. */
  isUsable: () => boolean;
};

export type IdleConnections = {
  /**
   * The one that has been idle for longest and may still be used: whatever else the partner had to say on it has most likely arrived, and
   * closed it. Null for none: only then another connection is opened, so that there are never more than calls at a time.
   */
  take: () => Reusable | null;
  /** @param connection its call is over; one that is closed is dropped later */
  add: (connection: Connection) => void;
  closeAll: () => void;
};

/** Connections that carry no call at present. */
export const idleConnections = ({
  maxIdleMs,
  clock,
}: {
  maxIdleMs: number;
  clock: Clock;
}): IdleConnections => {
  /** The one that was used last is at the end. */
  const idle: Idle[] = [];

  return {
    take: () => {
      for (let next = idle.shift(); next; next = idle.shift()) {
        const { connection, idleMs } = next;
        const { socket } = connection;
        const isFresh = (): boolean => !socket.destroyed && idleMs() <= maxIdleMs;
        // An answer may come before its request has left in full: nothing may follow then.
        const isUsable = (): boolean => isFresh() && socket.writableLength === 0;
        if (isFresh()) return { connection, isUsable };
        socket.destroy();
      }
      return null;
    },

    add: (connection) => void idle.push({ connection, idleMs: startStopwatch(clock) }),

    closeAll: () => {
      for (const { connection } of idle.splice(0)) connection.socket.destroy();
    },
  };
};
