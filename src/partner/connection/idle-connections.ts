import { type Clock, type Stopwatch, startStopwatch } from "../../runtime/clock.ts";
import type { Connection } from "./connection.ts";

/**
 * A connection is reused only within this share of the time for which the partner keeps it open, so that a
 * call does not meet the partner closing it. The rest is room for latency, clocks, and a timer of the partner
 * that fires early.
 */
const USABLE_SHARE = 1 / 4;

/** How long a connection may be idle and still be reused; 0 if each call has its own. */
export const usableIdleMs = (keepAliveMs: number): number => Math.floor(keepAliveMs * USABLE_SHARE);

type Idle = { connection: Connection; idleMs: Stopwatch };

export type Reusable = {
  connection: Connection;
  /**
   * Whether it still may carry a call. Ask in the step that writes the request: the process may have been
   * frozen before.
   */
  isUsable: () => boolean;
};

export type IdleConnections = {
  /**
   * The usable connection that has been idle for longest: anything unexpected that the partner sent has most
   * likely arrived by now, and closed it. Null if there is none; only then is another opened, so there are
   * never more connections than concurrent calls.
   */
  take: () => Reusable | null;
  /** @param connection its call is over; if it is closed, `take` drops it */
  add: (connection: Connection) => void;
  closeAll: () => void;
};

export const idleConnections = ({
  maxIdleMs,
  clock,
}: {
  maxIdleMs: number;
  clock: Clock;
}): IdleConnections => {
  /** Ordered by last use, the most recent at the end. */
  const idle: Idle[] = [];

  return {
    take: () => {
      for (let next = idle.shift(); next; next = idle.shift()) {
        const { connection, idleMs } = next;
        const { socket } = connection;
        const isFresh = (): boolean => !socket.destroyed && idleMs() <= maxIdleMs;
        // An answer may come before its request was sent in full; then nothing may follow on this connection.
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
