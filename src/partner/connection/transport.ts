import type { Clock } from "../../runtime/clock.ts";
import { yieldToEventLoop, fullEventLoopTurn } from "../../runtime/event-loop.ts";
import type { CallOptions } from "../types.ts";
import type { Opening } from "./connect.ts";
import { connectionOver, type Connection } from "./connection.ts";
import { exchange, type Reading, type Sending } from "./exchange.ts";
import { idleConnections, usableIdleMs } from "./idle-connections.ts";
import { reasonOf } from "./reason.ts";

export type TransportOptions = {
  /** Without a path. */
  origin: URL;
  connect: () => Opening;
  /** For name, connection, tunnel and TLS together. */
  connectTimeoutMs: number;
  /** From handing the request over until its answer is complete. */
  callTimeoutMs: number;
  /** How long the partner is known to keep an idle connection open; 0 for a connection of its own for each call. */
  keepAliveMs: number;
  clock: Clock;
};

export type Transport = {
  /** Sends a request once at most, over a connection that carries nothing else meanwhile. Never rejects. */
  send: (request: Sending, options: CallOptions) => Promise<Reading>;
  /** Nothing begins any more. What is under way goes on. */
  close: () => void;
};

/** With the moment on the monotonic clock at which the call is over. */
type Timed = Omit<CallOptions, "withinMs"> & { endsAt: number };

/** For how long the partner says in its answer that it keeps an idle connection open. */
const announcedMs = ({ headers }: Reading & { sent: true }): number => {
  const seconds = /\btimeout\s*=\s*(\d+)/i.exec(String(headers["keep-alive"] ?? ""))?.[1];
  return seconds === undefined ? Number.POSITIVE_INFINITY : Number(seconds) * 1000;
};

export const transportFor = (options: TransportOptions): Transport => {
  const { origin, connect, clock, connectTimeoutMs, callTimeoutMs, keepAliveMs } = options;
  const maxIdleMs = usableIdleMs(keepAliveMs);
  const idle = idleConnections({ maxIdleMs, clock });
  let closed = false;

  const leftMs = ({ endsAt }: Timed, atMost: number): number =>
    Math.min(atMost, Math.max(endsAt - clock.monotonic(), 0));

  /** Whether another call may follow on a connection. One whose answer was no complete 2xx, or the last one, is closed by then. */
  const isReusable = (reading: Reading): boolean =>
    !closed && maxIdleMs > 0 && reading.sent && announcedMs(reading) >= keepAliveMs;

  const sendOver = async (connection: Connection, request: Sending, timed: Timed): Promise<Reading> => {
    const { done, cut } = exchange(connection, request, timed.mayCall);
    // The deadline only cuts the exchange off: what it came to by then is for the exchange to say.
    await clock.within(leftMs(timed, callTimeoutMs), timed.signal, done).catch(async (error: unknown) => {
      // After a freeze the time is over before anybody has looked for the answer that arrived meanwhile.
      await fullEventLoopTurn();
      connection.giveUp();
      cut(reasonOf(error));
    });
    const reading = await done;
    if (isReusable(reading)) idle.add(connection);
    else connection.socket.destroy();
    return reading;
  };

  /** Null when there was none, or it was closed or idle for too long before the request could be written: nothing was sent on it then. */
  const sendOnIdle = async (request: Sending, timed: Timed): Promise<Reading | null> => {
    const reused = idle.take();
    if (!reused) return null;
    let asked = 0;
    const mayCall = (): boolean => {
      if (!reused.isUsable()) return false;
      asked += 1;
      return timed.mayCall();
    };
    // The client waits for another poll phase, so that all that arrived before now is noticed before it writes.
    await yieldToEventLoop();
    const reading = await sendOver(reused.connection, request, { ...timed, mayCall });
    return asked > 0 ? reading : null;
  };

  const sendOnNew = async (request: Sending, timed: Timed): Promise<Reading> => {
    const { socket: opened, giveUp } = connect();
    let connection: Connection;
    try {
      const socket = await clock.within(leftMs(timed, connectTimeoutMs), timed.signal, opened);
      connection = connectionOver(socket, { origin, maxIdleMs, giveUp });
    } catch (error) {
      giveUp();
      return { sent: false, reason: reasonOf(error) };
    }
    return sendOver(connection, request, timed);
  };

  return {
    send: async (request, { signal, withinMs, mayCall }) => {
      const endsAt = clock.monotonic() + withinMs;
      const timed: Timed = {
        signal,
        endsAt,
        mayCall: () => !closed && clock.monotonic() < endsAt && mayCall(),
      };
      return (await sendOnIdle(request, timed)) ?? sendOnNew(request, timed);
    },
    close: () => {
      closed = true;
      idle.closeAll();
    },
  };
};
