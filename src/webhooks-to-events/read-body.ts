import type { IncomingMessage } from "node:http";

export type Body = { ok: true; bytes: Buffer } | { ok: false; why: "too large" | "broken off" };

const EMPTY = Buffer.alloc(0);

/**
 * Reads a request's body up to a bound, by what it declares and by what arrives. A middleware for this costs most of the throughput that
 * the whole listener has. Never rejects.
 */
export const readBody = (request: IncomingMessage, maxBytes: number): Promise<Body> => {
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) {
    return Promise.resolve({ ok: false, why: "too large" });
  }
  return new Promise((resolve) => {
    let first: Buffer | undefined;
    let chunks: Buffer[] | undefined;
    let length = 0;
    let settled = false;
    const end = (body: Body): void => {
      settled = true;
      resolve(body);
    };
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
  });
};
