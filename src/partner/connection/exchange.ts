import type { IncomingHttpHeaders } from "undici/types/header.js";
import type { Dispatcher } from "undici";
import type { Connection } from "./connection.ts";
import { headReader } from "./status-line.ts";

/** What a request came to, told by how far it got. */
export type Reading =
  | { sent: false; reason: string }
  | {
      sent: true;
      /** Null when no status line of a final answer arrived, or none that could be read. */
      status: number | null;
      /** Empty when they were cut off. */
      headers: IncomingHttpHeaders;
      /** As it came over the wire, up to the limit. */
      body: Buffer;
      /** Whether the whole body arrived, or as much of it as is kept. */
      complete: boolean;
      /** What ended it early. */
      reason: string;
    };

export type Exchange = {
  /** Never rejects. */
  done: Promise<Reading>;
  /** Ends the exchange, with what is known by now. */
  cut: (reason: string) => void;
};

/** A request as it goes out. */
export type Sending = {
  method: "POST" | "PUT";
  path: string;
  headers: string[];
  body: string;
  /** So many bytes of the answer's body are read; the rest is not waited for. */
  maxBodyBytes: number;
};

/**
 * Sends one request over a connection that carries no other, and reads its answer. The connection is closed when anything but a complete 2xx
 * comes of it, so that nothing of this call can be taken for a part of the next one.
 * @param mayCall asked in the synchronous step that writes the request
 */
export const exchange = (
  { socket, client, readAhead }: Connection,
  { method, path, headers: sent, body, maxBodyBytes }: Sending,
  mayCall: () => boolean,
): Exchange => {
  let state: "waiting" | "sent" | "over" = "waiting";
  let headers: IncomingHttpHeaders = {};
  let resolve: (reading: Reading) => void = () => undefined;
  const done = new Promise<Reading>((settled) => (resolve = settled));
  const answerHead = headReader();
  const chunks: Buffer[] = [];
  let size = 0;

  const settle = (complete: boolean, reason: string): void => {
    if (state === "over") return;
    const sent = state === "sent";
    state = "over";
    const status = answerHead.status();
    const isWell = complete && status !== null && status < 300 && size <= maxBodyBytes;
    if (!isWell) socket.destroy();
    resolve(
      sent ? { sent, status, headers, body: Buffer.concat(chunks), complete, reason } : { sent, reason },
    );
  };

  const handler: Dispatcher.DispatchHandler = {
    // The client calls this and writes the request in one synchronous step, the write included. From here on nothing is proven.
    onRequestStart: (controller) => {
      if (state === "sent") settle(false, "the request was about to be repeated");
      else if (state === "waiting" && !mayCall())
        settle(false, "the call was no longer allowed when it could have been sent");
      if (state === "waiting") {
        state = "sent";
        // Not earlier: what comes before the request is no answer to it, and the client closes the connection then.
        readAhead(answerHead.feed);
      } else controller.abort(new Error("not sent"));
    },
    onResponseStart: (_, status, received) => {
      if (status >= 200) headers = received;
    },
    onResponseData: (_, chunk) => {
      const room = maxBodyBytes - size;
      chunks.push(chunk.subarray(0, room));
      size += chunk.length;
      if (size > maxBodyBytes) settle(true, "");
    },
    onResponseEnd: () => settle(true, ""),
    onResponseError: (_, error) => settle(false, error.message),
  };

  // On a connection that was used before, the client waits for what has arrived on it to be noticed, and writes then.
  client.dispatch({ method, path, body, headers: sent, idempotent: false }, handler);
  return { done, cut: (reason) => settle(false, reason) };
};
