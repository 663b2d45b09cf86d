import type { IncomingMessage } from "node:http";

export type Body = { ok: true; bytes: Buffer } | { ok: false; why: "too large" | "broken off" | "given up" };

const EMPTY = Buffer.alloc(0);

/** Whether a request says itself that its body has more bytes than these. */
export const declaresMore = (request: IncomingMessage, maxBytes: number): boolean =>
  Number(request.headers["content-length"] ?? 0) > maxBytes;

/**
 * Reads a request's body up to a bound, and no byte after that.
 * @param done called once, after this has returned
 * @returns gives up waiting for the rest
 */
export const readBody = (
  request: IncomingMessage,
  maxBytes: number,
  done: (body: Body) => void,
): (() => void) => {
  let first: Buffer | undefined;
  let chunks: Buffer[] | undefined;
  let length = 0;
  let isOver = false;
  const end = (body: Body): void => {
    if (isOver) return;
    isOver = true;
    if (!body.ok) request.pause();
    done(body);
  };
  request
    .on("data", (chunk: Buffer) => {
      if (isOver) return;
      length += chunk.length;
      if (length > maxBytes) end({ ok: false, why: "too large" });
      else if (first === undefined) first = chunk;
      else (chunks ??= [first]).push(chunk);
    })
    .on("end", () => {
      end({ ok: true, bytes: chunks ? Buffer.concat(chunks, length) : (first ?? EMPTY) });
    })
    // After the end it closes as well, which changes nothing any more.
    .on("close", () => {
      end({ ok: false, why: "broken off" });
    });
  return () => end({ ok: false, why: "given up" });
};
