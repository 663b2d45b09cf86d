import { once } from "node:events";
import { connect } from "node:net";

const END_OF_HEAD = "\r\n\r\n";
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i;

/**
 * @param {string} text what came so far
 * @returns {number | null} the status of the answer that `text` is, null when it is not complete
 */
export function completeStatus(text) {
  const head = text.indexOf(END_OF_HEAD);
  if (head === -1) return null;
  const length = CONTENT_LENGTH.exec(text.slice(0, head))?.[1];
  if (length === undefined) throw new Error(`an answer without content-length: ${text.slice(0, head)}`);
  const end = head + END_OF_HEAD.length + Number(length);
  if (text.length > end) throw new Error("more bytes than one answer");
  return text.length === end ? Number(text.slice(9, 12)) : null;
}

/**
 * @typedef {object} Connection
 * @property {(request: Buffer, sinceMs: number) => void} send `sinceMs` comes back with the answer
 * @property {() => void} close
 */

/**
 * A keep-alive connection for one request at a time, much cheaper than an HTTP client, because the load shares the processors with the
 * server that it measures.
 * @param {number} port
 * @param {{ answered: (by: Connection, status: number, sinceMs: number) => void, broken: (error: Error) => void }} events
 * @returns {Promise<Connection>}
 */
export async function openConnection(port, events) {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  await once(socket, "connect");
  let text = "";
  let sentMs = 0;
  let isClosing = false;
  /** @type {Connection} */
  const connection = {
    send: (request, sinceMs) => {
      sentMs = sinceMs;
      socket.write(request);
    },
    close: () => {
      isClosing = true;
      socket.destroy();
    },
  };
  socket.setEncoding("latin1");
  socket.on("data", (chunk) => {
    text += String(chunk);
    const status = completeStatus(text);
    if (status === null) return;
    text = "";
    events.answered(connection, status, sentMs);
  });
  socket.on("error", events.broken);
  socket.on("close", () => {
    if (!isClosing) events.broken(new Error("the server closed a connection"));
  });
  return connection;
}
