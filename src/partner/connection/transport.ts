import type { Clock } from "../../runtime/clock.ts";
import { yieldToEventLoop, fullEventLoopTurn } from "../../runtime/event-loop.ts";
import type { CallOptions } from "../types.ts";
import type { Opening } from "./connect.ts";
import { connectionOver, reasonOf, type Connection } from "./connection.ts";
import { exchange, type ExchangeResult, type OutgoingRequest } from "./exchange.ts";
import { idleConnections, usableIdleMs } from "./idle-connections.ts";

export type TransportOptions = {
  /** Without a path. */
  origin: URL;
  connect: () => Opening;
  /** For DNS, TCP, tunnel and TLS together. */
  connectTimeoutMs: number;
  /** From writing the request until its answer is complete. */
  callTimeoutMs: number;
  /** How long the partner is known to keep idle connections open; 0 for a new connection per call. */
  keepAliveMs: number;
  clock: Clock;
};

export type Transport = {
  /** Sends a request at most once, over a connection that carries nothing else meanwhile. Never rejects. */
  send: (request: OutgoingRequest, options: CallOptions) => Promise<ExchangeResult>;
  /** Sends nothing new. Open calls go on. */
  close: () => void;
};

/** `endsAt`: the end of the call on the monotonic clock. */
type Timed = Omit<CallOptions, "withinMs"> & { endsAt: number };

/** The timeout of the answer's Keep-Alive header. */
const announcedMs = ({ headers }: ExchangeResult & { sent: true }): number => {
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

  /**
   * Whether the connection may carry another call. After anything but a complete 2xx it is closed already.
   */
  const isReusable = (result: ExchangeResult): boolean =>
    !closed && maxIdleMs > 0 && result.sent && announcedMs(result) >= keepAliveMs;

  const sendOver = async (
    connection: Connection,
    request: OutgoingRequest,
    timed: Timed,
  ): Promise<ExchangeResult> => {
    const { done, cut } = exchange(connection, request, timed.mayCall);
    // The deadline only cuts the exchange off; the exchange says what is known by then.
    await clock.within(leftMs(timed, callTimeoutMs), timed.signal, done).catch(async (error: unknown) => {
      // After a freeze the deadline fires before an answer that arrived meanwhile has been read: let it be
      // read first.
      await fullEventLoopTurn();
      connection.giveUp();
      cut(reasonOf(error));
    });
    const result = await done;
    if (isReusable(result)) idle.add(connection);
    else connection.socket.destroy();
    return result;
  };

  /**
   * Null if there is no idle connection, or it closed or expired before the request was written: nothing was
   * sent then.
   */
  const sendOnIdle = async (request: OutgoingRequest, timed: Timed): Promise<ExchangeResult | null> => {
    const reused = idle.take();
    if (!reused) return null;
    let asked = 0;
    const mayCall = (): boolean => {
      if (!reused.isUsable()) return false;
      asked += 1;
      return timed.mayCall();
    };
    // Another poll phase, so that a close that arrived before now is seen before the request is written.
    await yieldToEventLoop();
    const result = await sendOver(reused.connection, request, { ...timed, mayCall });
    return asked > 0 ? result : null;
  };

  const sendOnNew = async (request: OutgoingRequest, timed: Timed): Promise<ExchangeResult> => {
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
