import type { Readable } from "node:stream";
import type { IncomingHttpHeaders } from "undici/types/header.js";
import { connectionOver } from "./connection.ts";
import { headReader } from "./status-line.ts";
import type { TransportOptions } from "./transport.ts";

/** The body is read from the socket on demand. */
export type Downloaded = { status: number; headers: IncomingHttpHeaders; body: AsyncIterable<Uint8Array> };

/** GETs over a connection of its own, which is closed at the end of the body or when the signal aborts. */
export type Download = (
  request: { path: string; headers: string[] },
  signal: AbortSignal,
) => Promise<Downloaded>;

export const downloadFor = (options: Omit<TransportOptions, "keepAliveMs">): Download => {
  const { origin, connect, connectTimeoutMs, callTimeoutMs, clock } = options;

  async function* inTime(body: Readable, signal: AbortSignal, close: () => void): AsyncGenerator<Uint8Array> {
    const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
    try {
      for (;;) {
        const next = await clock.within(callTimeoutMs, signal, chunks.next());
        if (next.done === true) return;
        yield next.value;
      }
    } catch (error) {
      // The iterator of a stream that fails drops what came before and was not asked for yet.
      const rest = body.read() as Uint8Array | null;
      if (rest !== null) yield rest;
      throw error;
    } finally {
      close();
    }
  }

  return async ({ path, headers: requestHeaders }, signal) => {
    const { socket: opened, giveUp } = connect();
    signal.addEventListener("abort", giveUp, { once: true });
    try {
      const socket = await clock.within(connectTimeoutMs, signal, opened);
      const { client, readAhead } = connectionOver(socket, { origin, maxIdleMs: 0, giveUp });
      readAhead(headReader().feed);
      const answered = client.request({ method: "GET", path, headers: requestHeaders });
      const { statusCode: status, headers, body } = await clock.within(callTimeoutMs, signal, answered);
      return { status, headers, body: inTime(body, signal, () => socket.destroy()) };
    } catch (error) {
      giveUp();
      throw error;
    }
  };
};
