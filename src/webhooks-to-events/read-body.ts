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
    const end = (body: Body): void => {
      request.off("data", onData).off("end", onEnd).off("error", onBroken).off("close", onBroken);
      resolve(body);
    };
    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      if (length > maxBytes) {
        request.pause();
        end({ ok: false, why: "too large" });
      } else if (first === undefined) first = chunk;
      else (chunks ??= [first]).push(chunk);
    };
    const onEnd = (): void =>
      end({ ok: true, bytes: chunks ? Buffer.concat(chunks, length) : (first ?? EMPTY) });
    const onBroken = (): void => end({ ok: false, why: "broken off" });
    request.on("data", onData).on("end", onEnd).on("error", onBroken).on("close", onBroken);
  });
};
