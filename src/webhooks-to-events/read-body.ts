import type { IncomingMessage } from "node:http";

export type Body = { ok: true; bytes: Buffer } | { ok: false; why: "too large" | "broken off" | "given up" };

const EMPTY = Buffer.alloc(0);

/** Whether the Content-Length of a request is larger than `maxBytes`. */
export const declaresMore = (request: IncomingMessage, maxBytes: number): boolean =>
  Number(request.headers["content-length"] ?? 0) > maxBytes;

/**
 * Reads a request's body up to `maxBytes`, and stops reading there.
 * @param done called once, after this function has returned
 * @returns a function that gives up waiting for the rest
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
    // Also emitted after "end", where it has no effect.
    .on("close", () => {
      end({ ok: false, why: "broken off" });
    });
  return () => end({ ok: false, why: "given up" });
};
