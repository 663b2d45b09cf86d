import type { IncomingMessage } from "node:http";

export type Body = { ok: true; bytes: Buffer } | { ok: false; why: "too large" | "broken off" | "given up" };

/** A body on its way. */
export type Reading = {
  /** Never rejects. */ body: Promise<Body>;
  /** Waits for the rest no longer. */ giveUp: () => void;
};

const EMPTY = Buffer.alloc(0);

/**
 * Reads a request's body up to a bound, by what it declares and by what arrives. A middleware for this costs most of the throughput that
 * the whole listener has.
 */
export const readBody = (request: IncomingMessage, maxBytes: number): Reading => {
  let settle: (body: Body) => void = () => undefined;
  const body = new Promise<Body>((resolve) => (settle = resolve));
  let first: Buffer | undefined;
  let chunks: Buffer[] | undefined;
  let length = 0;
  let settled = false;
  const end = (how: Body): void => {
    settled = true;
    settle(how);
  };
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) end({ ok: false, why: "too large" });
  else
    request
      .on("data", (chunk: Buffer) => {
        if (settled) return;
        length += chunk.length;
        if (length > maxBytes) {
          request.pause();
          end({ ok: false, why: "too large" });
        } else if (first === undefined) first = chunk;
        else (chunks ??= [first]).push(chunk);
      })
      .on("end", () => {
        end({ ok: true, bytes: chunks ? Buffer.concat(chunks, length) : (first ?? EMPTY) });
      })
      // After the end it closes as well, which changes nothing any more.
      .on("close", () => {
        end({ ok: false, why: "broken off" });
      });
  return { body, giveUp: () => end({ ok: false, why: "given up" }) };
};
