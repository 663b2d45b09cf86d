import type { IncomingMessage } from "node:http";

/** Why a body is not complete. */
export type Unread = "too large" | "broken off" | "given up";

const EMPTY = Buffer.alloc(0);
/** Of the first buffer that a body of several pieces is copied to. */
const MIN_CAPACITY = 1_024;
/** Pieces after which others are read first. */
const PIECES_A_TURN = 64;

/** Whether the Content-Length of a request is larger than `maxBytes`. */
export const declaresMore = (request: IncomingMessage, maxBytes: number): boolean =>
  Number(request.headers["content-length"] ?? 0) > maxBytes;

/**
 * Reads a request's body up to `maxBytes`. A sender may cut it into pieces of one byte, each of which costs
 * hundreds in a list: they are copied into one buffer that grows with what has arrived.
 * @param yieldTurn lets other connections be read before this one is read on
 * @param done called once, after this function has returned
 * @returns a function that gives up waiting for the rest
 */
export const readBody = (
  request: IncomingMessage,
  { maxBytes, yieldTurn }: { maxBytes: number; yieldTurn: () => void },
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
        const grown = Buffer.allocUnsafeSlow(Math.min(maxBytes, Math.max(MIN_CAPACITY, 2 * needed)));
        buffer.copy(grown, 0, 0, length);
        buffer = grown;
      }
      piece.copy(buffer, length);
    }
    length = needed;
  };
  request
    .on("data", (piece: Buffer) => {
      if (++pieces % PIECES_A_TURN === 0) yieldTurn();
      if (isOver) return;
      if (length + piece.length > maxBytes) end("too large");
      else append(piece);
    })
    .on("end", () => end(length === buffer.length ? buffer : buffer.subarray(0, length)))
    // Also emitted after "end", where it has no effect.
    .on("close", () => end("broken off"));
  return () => end("given up");
};
