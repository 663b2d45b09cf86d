import type { IncomingMessage } from "node:http";
import { stopReading, type FairReader } from "./fair-reader.ts";

export type Unread = "too large" | "broken off" | "given up";

const EMPTY = Buffer.alloc(0);
/** The size of the first buffer for a body that comes in several pieces. */
const MIN_CAPACITY = 1_024;
/** After so many pieces, other connections are read first. */
const PIECES_A_TURN = 64;

export const declaresMore = (request: IncomingMessage, maxBytes: number): boolean =>
  Number(request.headers["content-length"] ?? 0) > maxBytes;

/**
 * Reads up to `maxBytes` into one buffer that grows: pieces of one byte would take hundreds of bytes each.
 * @param done called once, after this function has returned
 * @returns a function that gives up waiting for the rest
 */
export const readBody = (
  request: IncomingMessage,
  { maxBytes, fairReader }: { maxBytes: number; fairReader: FairReader },
  done: (body: Buffer | Unread) => void,
): (() => void) => {
  let buffer: Buffer = EMPTY;
  let length = 0;
  let pieces = 0;
  let isOver = false;
  const end = (body: Buffer | Unread): void => {
    if (isOver) return;
    isOver = true;
    done(body);
  };
  const append = (piece: Buffer): void => {
    const needed = length + piece.length;
    if (length === 0) buffer = piece;
    else {
      if (needed > buffer.length) {
        const larger = Buffer.allocUnsafeSlow(Math.min(maxBytes, Math.max(MIN_CAPACITY, 2 * needed)));
        buffer.copy(larger, 0, 0, length);
        buffer = larger;
      }
      piece.copy(buffer, length);
    }
    length = needed;
  };
  request
    .on("data", (piece: Buffer) => {
      if (++pieces % PIECES_A_TURN === 0) fairReader.deferBusy(request.socket);
      if (isOver) return;
      if (length + piece.length > maxBytes) end("too large");
      else append(piece);
    })
    .on("end", () => end(length === buffer.length ? buffer : buffer.subarray(0, length)))
    // Also emitted after "end", where it has no effect.
    .on("close", () => end("broken off"));
  return () => end("given up");
};

/** How long the connection stays open when the body is not read, so that the sender can read the answer. */
const LINGER_MS = 1_000;
const AWAITS_CONTINUE = /\b100-continue\b/i;

/** Whether the sender waits to be told to send the body. */
export const awaitsContinue = ({ headers, httpVersion }: IncomingMessage): boolean =>
  httpVersion === "1.1" && headers.expect !== undefined && AWAITS_CONTINUE.test(headers.expect);

type Headers = Record<string, string>;

export const answerUnread = (request: IncomingMessage, status: number, headers: Headers = {}): Response => {
  // Pieces of the body that node has read already are dropped: a paused request keeps each as an object.
  request.on("data", () => undefined);
  stopReading(request.socket);
  // The end of the body closes the connection. Where bytes are unread, the kernel's reset may overtake the answer.
  let timer: NodeJS.Timeout;
  const lingering = new ReadableStream({
    start: (controller) => {
      timer = setTimeout(() => controller.close(), LINGER_MS).unref();
    },
    cancel: () => clearTimeout(timer),
  });
  const closing = { "content-length": "0", connection: "close" };
  return new Response(lingering, { status, headers: Object.assign(closing, headers) });
};

/** Answers before the body is read. Keeps the connection only if the rest of the body is known to be short. */
export const answerEarly = (
  request: IncomingMessage,
  status: number,
  maxBodyBytes: number,
  headers: Headers = {},
): Response => {
  const isBounded =
    request.headers["transfer-encoding"] === undefined &&
    !declaresMore(request, maxBodyBytes) &&
    !awaitsContinue(request);
  return isBounded ? new Response("", { status, headers }) : answerUnread(request, status, headers);
};
