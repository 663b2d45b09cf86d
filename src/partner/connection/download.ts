import type { IncomingHttpHeaders } from "undici/types/header.js";
import type { Clock } from "../../runtime/clock.ts";
import type { Opening } from "./connect.ts";
import { connectionOver } from "./connection.ts";
import { headReader } from "./status-line.ts";

export type DownloadOptions = {
  /** Without a path. */
  origin: URL;
  connect: () => Opening;
  /** For name, connection, tunnel and TLS together. */
  connectTimeoutMs: number;
  /** For the head of the answer, and for what comes of its body each time that more of it is asked for. */
  callTimeoutMs: number;
  clock: Clock;
};

/** The body is read from the socket as it is asked for. */
export type Downloaded = { status: number; headers: IncomingHttpHeaders; body: AsyncIterable<Uint8Array> };

/**
 * GETs over a connection of its own, which is closed with the end of the body, and as soon as the signal aborts, also when nobody reads the
 * body. So a signal that never aborts leaves an answer open that is not read.
 */
export type Download = (
  request: { path: string; headers: string[] },
  signal: AbortSignal,
) => Promise<Downloaded>;

export const downloadFor = ({
  origin,
  connect,
  connectTimeoutMs,
  callTimeoutMs,
  clock,
}: DownloadOptions): Download => {
  async function* inTime(
    body: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
    close: () => void,
  ): AsyncGenerator<Uint8Array> {
    const chunks = body[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await clock.within(callTimeoutMs, signal, chunks.next());
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      close();
    }
  }

  return async ({ path, headers: sent }, signal) => {
    const { socket: opened, giveUp } = connect();
    signal.addEventListener("abort", giveUp, { once: true });
    try {
      const socket = await clock.within(connectTimeoutMs, signal, opened);
      const { client, readAhead } = connectionOver(socket, { origin, maxIdleMs: 0, giveUp });
      readAhead(headReader().feed);
      const answered = client.request({ method: "GET", path, headers: sent });
      const { statusCode: status, headers, body } = await clock.within(callTimeoutMs, signal, answered);
      return {
        status,
        headers,
        body: inTime(body as AsyncIterable<Uint8Array>, signal, () => socket.destroy()),
      };
    } catch (error) {
      giveUp();
      throw error;
    }
  };
};
