import type { Socket } from "node:net";
import type { IncomingHttpHeaders } from "undici/types/header.js";
import type { Dispatcher } from "undici";
import { clientOf } from "./single-connection.ts";
import { headReader, readThrough } from "./status-line.ts";

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

export type ExchangeOptions = {
  /** Without a path. */
  origin: URL;
  method: "POST" | "PUT";
  path: string;
  headers: string[];
  body: string;
  /** So many bytes of the answer's body are read; the rest is not waited for. */
  maxBodyBytes: number;
  /** Asked in the synchronous step that writes the request. */
  mayCall: () => boolean;
};

/**
 * Sends one request over a fresh connection and reads its answer. The connection serves this request alone and is closed after it,
 * so an answer can only be the answer to this request.
 */
export const exchange = (socket: Socket, options: ExchangeOptions): Exchange => {
  let state: "waiting" | "sent" | "over" = "waiting";
  let headers: IncomingHttpHeaders = {};
  let resolve: (reading: Reading) => void = () => undefined;
  const done = new Promise<Reading>((settled) => (resolve = settled));
  const answerHead = headReader();
  readThrough(socket, answerHead.feed);
  const chunks: Buffer[] = [];
  let size = 0;

  const settle = (complete: boolean, reason: string): void => {
    if (state === "over") return;
    const sent = state === "sent";
    state = "over";
    socket.destroy();
    const status = answerHead.status();
    resolve(
      sent ? { sent, status, headers, body: Buffer.concat(chunks), complete, reason } : { sent, reason },
    );
  };

  const handler: Dispatcher.DispatchHandler = {
    // The client calls this and writes the request in one synchronous step, the write included. From here on nothing is proven.
    onRequestStart: (controller) => {
      if (state === "sent") settle(false, "the request was about to be repeated");
      else if (!options.mayCall())
        settle(false, "the call was no longer allowed when it could have been sent");
      if (state === "waiting") state = "sent";
      else controller.abort(new Error("not sent"));
    },
    onResponseStart: (_, status, received) => {
      if (status >= 200) headers = received;
    },
    onResponseData: (_, chunk) => {
      const room = options.maxBodyBytes - size;
      chunks.push(chunk.subarray(0, room));
      size += chunk.length;
      if (size > options.maxBodyBytes) settle(true, "");
    },
    onResponseEnd: () => settle(true, ""),
    onResponseError: (_, error) => settle(false, error.message),
  };

  const { method, path, body } = options;
  clientOf(socket, options.origin).dispatch(
    { method, path, body, headers: options.headers, reset: true, idempotent: false },
    handler,
  );
  return { done, cut: (reason) => settle(false, reason) };
};
