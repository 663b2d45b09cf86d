import { startStopwatch, type Clock } from "../../runtime/clock.ts";
import { yieldToEventLoop, fullEventLoopTurn } from "../../runtime/event-loop.ts";
import type { CallOptions, PartnerOptions } from "../types.ts";
import type { Opening } from "./connect.ts";
import { connectionOver, reasonOf, type Connection } from "./connection.ts";
import { exchange, type ExchangeResult, type OutgoingRequest } from "./exchange.ts";

/** `origin` has no path. */
export type TransportOptions = Pick<
  PartnerOptions,
  "connectTimeoutMs" | "callTimeoutMs" | "keepAliveMs" | "clock"
> & { origin: URL; connect: () => Opening };

export type Transport = ReturnType<typeof transportFor>;

/** The rest of the time for which the partner keeps a connection is for latency, clocks, and its early timers. */
const USABLE_SHARE = 1 / 4;

const idleConnections = (maxIdleMs: number, clock: Clock) => {
  /** Ordered by last use, the most recent at the end. */
  const idle: { connection: Connection; idleMs: () => number }[] = [];

  return {
    /** Takes the one idle for longest: what the partner sent unasked has most likely arrived and closed it. */
    take: () => {
      for (let next = idle.shift(); next; next = idle.shift()) {
        const { connection, idleMs } = next;
        const { socket } = connection;
        const isFresh = (): boolean => !socket.destroyed && idleMs() <= maxIdleMs;
        // Asked in the step that writes the request: the process may have been frozen before. An answer may come
        // before its request was sent in full; then nothing may follow on this connection.
        const isUsable = (): boolean => isFresh() && socket.writableLength === 0;
        if (isFresh()) return { connection, isUsable };
        socket.destroy();
      }
      return null;
    },
    /** @param connection its call is over; if it is closed, `take` drops it */
    add: (connection: Connection): void => void idle.push({ connection, idleMs: startStopwatch(clock) }),
    closeAll: (): void => {
      for (const { connection } of idle.splice(0)) connection.socket.destroy();
    },
  };
};

/** `endsAt`: the end of the call on the monotonic clock. */
type Timed = Omit<CallOptions, "withinMs"> & { endsAt: number };

const announcedMs = ({ headers }: ExchangeResult & { sent: true }): number => {
  const seconds = /\btimeout\s*=\s*(\d+)/i.exec(String(headers["keep-alive"] ?? ""))?.[1];
  return seconds === undefined ? Number.POSITIVE_INFINITY : Number(seconds) * 1000;
};

export const transportFor = (options: TransportOptions) => {
  const { origin, connect, clock, connectTimeoutMs, callTimeoutMs, keepAliveMs } = options;
  /** 0 if each call has its own connection. */
  const maxIdleMs = Math.floor(keepAliveMs * USABLE_SHARE);
  const idle = idleConnections(maxIdleMs, clock);
  let closed = false;

  const leftMs = ({ endsAt }: Timed, atMost: number): number =>
    Math.min(atMost, Math.max(endsAt - clock.monotonic(), 0));

  /** Whether the connection may carry another call. After anything but a complete 2xx it is closed already. */
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
      // After a freeze the deadline fires before an answer that arrived meanwhile has been read.
      await fullEventLoopTurn();
      connection.giveUp();
      cut(reasonOf(error));
    });
    const result = await done;
    if (isReusable(result)) idle.add(connection);
    else connection.socket.destroy();
    return result;
  };

  /** Returns null if no connection is idle, or it closed or expired before the request was written: nothing was sent. */
  const sendOnIdle = async (request: OutgoingRequest, timed: Timed): Promise<ExchangeResult | null> => {
    const reused = idle.take();
    if (!reused) return null;
    let questions = 0;
    const mayCall = (): boolean => {
      if (!reused.isUsable()) return false;
      questions += 1;
      return timed.mayCall();
    };
    // Another poll phase, so that a close that arrived before now is seen before the request is written.
    await yieldToEventLoop();
    const result = await sendOver(reused.connection, request, { ...timed, mayCall });
    return questions > 0 ? result : null;
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
    /** Sends a request at most once, over a connection that carries nothing else meanwhile. Never rejects. */
    send: async (request: OutgoingRequest, callOptions: CallOptions): Promise<ExchangeResult> => {
      const { signal, withinMs, mayCall } = callOptions;
      const endsAt = clock.monotonic() + withinMs;
      const timed: Timed = {
        signal,
        endsAt,
        mayCall: () => !closed && clock.monotonic() < endsAt && mayCall(),
      };
      return (await sendOnIdle(request, timed)) ?? sendOnNew(request, timed);
    },
    /** Sends nothing new. Open calls go on. */
    close: (): void => {
      closed = true;
      idle.closeAll();
    },
  };
};
