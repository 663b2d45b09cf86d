import type { Clock } from "../runtime/clock.ts";
import { polled, turn } from "../runtime/turn.ts";
import { connectFor, type TlsMaterial } from "./connect.ts";
import { connectionOver, type Connection } from "./connection.ts";
import { exchange, type Reading, type Sending } from "./exchange.ts";
import { keepAlive } from "./keep-alive.ts";
import type { Standing } from "./trust.ts";
import type { CallOptions } from "./types.ts";

export type TransportOptions = {
  /** Without a path. */
  origin: URL;
  tls: TlsMaterial;
  /** Asked for each connection; null for none. */
  proxy: (() => URL) | null;
  /** For name, connection, tunnel and TLS together. */
  connectTimeoutMs: number;
  /** From handing the request over until its answer is complete. */
  callTimeoutMs: number;
  maxConnections: number;
  /**
   * So many calls under way at once from which on connections are used again. To open one for each costs little below that, and spares the
   * doubts about calls that meet a partner which closes all its connections at once, as it does when it is started again.
   */
  reuseFrom: number;
  /** Hears when connections begin to be used again, and when and why no more. */
  connectionsTold: (standing: Standing) => void;
  clock: Clock;
};

export type Transport = {
  /** Sends a request once at most, over a connection that carries nothing else meanwhile. Never rejects. */
  send: (request: Sending, options: CallOptions) => Promise<Reading>;
  /** Nothing begins any more. What is under way goes on. */
  close: () => void;
};

/** What a partner says that closes a connection because no request came over it. Ours may have crossed with it. */
const REQUEST_TIMEOUT = 408;

/** With the moment on the monotonic clock at which the call is over. */
type Timed = Omit<CallOptions, "withinMs"> & { endsAt: number };

const messageOf = (error: unknown): string => {
  // What a host with several addresses ends in says nothing itself.
  if (error instanceof AggregateError && error.errors.length > 0) return messageOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
};

export const transportFor = (options: TransportOptions): Transport => {
  const { clock, connectTimeoutMs, callTimeoutMs, maxConnections, reuseFrom } = options;
  const connect = connectFor(options);
  const kept = keepAlive<Connection>({ clock, told: options.connectionsTold });
  /** Connections that carry a request or are being opened for one. */
  let busy = 0;
  let closed = false;

  const leftMs = ({ endsAt }: Timed, atMost: number): number =>
    Math.min(atMost, Math.max(endsAt - clock.monotonic(), 0));

  const sendOver = async (connection: Connection, request: Sending, timed: Timed): Promise<Reading> => {
    const { done, cut } = exchange(connection, request, timed.mayCall);
    // The deadline only cuts the exchange off: what it came to by then is for the exchange to say.
    await clock.within(leftMs(timed, callTimeoutMs), timed.signal, done).catch(async (error: unknown) => {
      // After a freeze the time is over before anybody has looked for the answer that arrived meanwhile.
      await turn();
      connection.giveUp();
      cut(messageOf(error));
    });
    const reading = await done;
    // Whoever speaks unasked is to be remembered at any load.
    if (busy >= reuseFrom || connection.spoke()) kept.keep(connection);
    else connection.socket.destroy();
    return reading;
  };

  /** Null when the connection turned out to be of no use before it was asked whether the call may be made. */
  const sendOnUsed = async (request: Sending, timed: Timed): Promise<Reading | null> => {
    const lent = busy >= reuseFrom ? kept.lend(maxConnections - busy) : null;
    if (!lent) return null;
    let asked = 0;
    const mayCall = (): boolean => {
      if (!lent.isFresh()) return false;
      asked += 1;
      return timed.mayCall();
    };
    // The client waits for another one, so that all that arrived before now is noticed before it writes.
    await polled();
    const reading = await sendOver(lent.connection, request, { ...timed, mayCall });
    const isLost = reading.sent && (reading.status === null || reading.status === REQUEST_TIMEOUT);
    lent.ended(isLost ? "lost" : reading.sent ? "answered" : "unsent");
    return asked > 0 ? reading : null;
  };

  const sendOnNew = async (request: Sending, timed: Timed): Promise<Reading> => {
    kept.trim(maxConnections - busy);
    const { socket: opened, giveUp } = connect();
    let connection: Connection;
    try {
      const socket = await clock.within(leftMs(timed, connectTimeoutMs), timed.signal, opened);
      connection = connectionOver(socket, { ...options, giveUp });
    } catch (error) {
      giveUp();
      return { sent: false, reason: messageOf(error) };
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
      busy += 1;
      try {
        return (await sendOnUsed(request, timed)) ?? (await sendOnNew(request, timed));
      } finally {
        busy -= 1;
      }
    },
    close: () => {
      closed = true;
      kept.close();
    },
  };
};
