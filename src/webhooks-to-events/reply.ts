import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** What a request is answered. `headers`: names and values by turns. `body` is ASCII. */
export type Reply = { status: number; body: string; headers?: readonly string[] };

/** How long a connection whose request is refused unread stays open, so that the answer can be read on the other side. */
const LINGER_MS = 1_000;

/**
 * Answers a request. What is answered in the same instant, as the webhooks of one batch are, leaves in one go: answers that come one by one
 * find a reader asleep each time, and to wake it costs as much as to write the answer.
 */
export const replier = (): ((response: ServerResponse, reply: Reply) => void) => {
  let held: Socket[] = [];
  const letGo = (): void => {
    const sockets = held;
    held = [];
    for (const socket of sockets) socket.uncork();
  };
  return (response, { status, body, headers = [] }) => {
    const { socket } = response;
    if (socket) {
      socket.cork();
      if (held.push(socket) === 1) queueMicrotask(letGo);
    }
    response.writeHead(status, [...headers, "content-length", String(body.length)]).end(body);
  };
};

/** The answer is whole when it is flushed. To end it would close the connection at once: unread bytes make that a reset, and the answer is lost. */
export const replyAndClose = (
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers = [] }: Reply,
): void => {
  request.pause();
  response.writeHead(status, [...headers, "content-length", "0", "connection", "close"]).flushHeaders();
  setTimeout(() => request.socket.destroy(), LINGER_MS).unref();
};
