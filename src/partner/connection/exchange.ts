import type { IncomingHttpHeaders } from "undici/types/header.js";
import type { Dispatcher } from "undici";
import { reasonOf, type Connection } from "./connection.ts";
import { headReader } from "./status-line.ts";

/** What became of a request, by how far it got. */
export type ExchangeResult =
  | { sent: false; reason: string }
  | {
      sent: true;
      /** No readable status line of a final answer arrived if this is null. */
      status: number | null;
      /** Empty if they were cut off. */
      headers: IncomingHttpHeaders;
      body: Buffer;
      /** Whether the body arrived up to its end or the limit. */
      complete: boolean;
      /** What ended it early. */
      reason: string;
    };

/** `done` never rejects. `cut` ends the exchange, with what is known by now. */
type Exchange = { done: Promise<ExchangeResult>; cut: (reason: string) => void };

export type OutgoingRequest = {
  method: "POST" | "PUT";
  path: string;
  headers: string[];
  body: string;
  /** How much of the answer's body is read. The rest is not waited for. */
  maxBodyBytes: number;
};

/**
 * Closes the connection unless the answer is a complete 2xx: no bytes of this call can be taken for the next one.
 * @param mayCall asked in the synchronous step that writes the request
 */
export const exchange = (
  { socket, client, readAhead }: Connection,
  { method, path, headers: requestHeaders, body, maxBodyBytes }: OutgoingRequest,
  mayCall: () => boolean,
): Exchange => {
  let state: "waiting" | "sent" | "over" = "waiting";
  let headers: IncomingHttpHeaders = {};
  const { promise: done, resolve } = Promise.withResolvers<ExchangeResult>();
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
    // undici calls this and writes the request in one synchronous step. From here on, "not sent" cannot be proven.
    onRequestStart: (controller) => {
      if (state === "sent") settle(false, "the HTTP client tried to send the request twice");
      else if (state === "waiting" && !mayCall())
        settle(false, "the call was no longer allowed when it could have been sent");
      if (state === "waiting") {
        state = "sent";
        // What arrives before the request is not its answer, and makes the client close the connection.
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
    onResponseError: (_, error) => settle(false, reasonOf(error)),
  };

  // On a reused connection the client first lets pending input be read, then writes.
  client.dispatch({ method, path, body, headers: requestHeaders, idempotent: false }, handler);
  return { done, cut: (reason) => settle(false, reason) };
};
