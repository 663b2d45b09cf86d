import { brotliDecompressSync, constants, unzipSync } from "node:zlib";
import type { Reading } from "../connection/exchange.ts";
import type { Answer } from "../types.ts";
import type { Mask } from "./mask.ts";
import { readRetryAfter } from "./retry-after.ts";

const brotli = { flush: constants.BROTLI_OPERATION_FLUSH, finishFlush: constants.BROTLI_OPERATION_FLUSH };

/** No encoding is asked for, but a gateway may not care. What cannot be unpacked stays as it came. */
const unpacked = (bytes: Buffer, encoding: string, maxOutputLength: number): Buffer => {
  try {
    if (/^(x-)?gzip$|^deflate$/.test(encoding))
      return unzipSync(bytes, { maxOutputLength, finishFlush: constants.Z_SYNC_FLUSH });
    if (encoding === "br") return brotliDecompressSync(bytes, { ...brotli, maxOutputLength });
  } catch {
    return bytes;
  }
  return bytes;
};

/** What of a text takes at most so many bytes of UTF-8, without a part of a character. */
const cut = (text: string, maxBytes: number): string =>
  text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(maxBytes)).read);

/**
 * An answer's body as text, with the secrets masked.
 * @param bytes as they came, `mask.marginBytes` more than `maxBytes` where there are so many
 * @param maxBytes so much of the body is kept, and so many bytes the text takes at most: what is no UTF-8 would grow to three times its size
 */
export const bodyText = (
  bytes: Buffer,
  { encoding, maxBytes, mask }: { encoding: string | undefined; maxBytes: number; mask: Mask },
): string => {
  const whole = unpacked(bytes, encoding?.trim().toLowerCase() ?? "", maxBytes + mask.marginBytes);
  // Streaming leaves out the part of a character that the cut went through.
  const kept = new TextDecoder().decode(whole.subarray(0, maxBytes), { stream: whole.length > maxBytes });
  return cut(mask(new TextDecoder().decode(whole), kept.length), maxBytes);
};

/** What the partner answered, or null when no status line arrived that could be read. */
export const answerOf = (
  { status, headers, body, complete }: Reading & { sent: true },
  { maxBytes, mask, nowMs }: { maxBytes: number; mask: Mask; nowMs: number },
): Answer | null => {
  if (status === null) return null;
  const encoding = String(headers["content-encoding"] ?? "");
  return {
    httpStatus: status,
    body: complete ? bodyText(body, { encoding, maxBytes, mask }) : null,
    retryAfterMs: readRetryAfter(headers["retry-after"], nowMs),
  };
};
