import { brotliDecompressSync, constants, unzipSync } from "node:zlib";
import type { ExchangeResult } from "../connection/exchange.ts";
import type { Answer } from "../types.ts";
import type { Mask } from "../../runtime/mask.ts";

const brotli = { flush: constants.BROTLI_OPERATION_FLUSH, finishFlush: constants.BROTLI_OPERATION_FLUSH };

/** Only the start of what is decompressed is kept, but zlib gives all of it or nothing. */
const maxOutputLength = 8 * 1_048_576;

/**
 * No encoding is requested, but a gateway may compress anyway. What cannot be decompressed stays as it came.
 */
const decompressed = (bytes: Buffer, encoding: string): Buffer => {
  try {
    if (/^(x-)?gzip$|^deflate$/.test(encoding))
      return unzipSync(bytes, { maxOutputLength, finishFlush: constants.Z_SYNC_FLUSH });
    if (encoding === "br") return brotliDecompressSync(bytes, { ...brotli, maxOutputLength });
  } catch {
    return bytes;
  }
  return bytes;
};

/** The start of a text that fits into `maxBytes` of UTF-8, without cutting a character. */
const cut = (text: string, maxBytes: number): string =>
  Buffer.byteLength(text) <= maxBytes
    ? text
    : text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(maxBytes)).read);

/**
 * An answer's body as text, with the secrets masked.
 * @param bytes as received, up to `mask.marginBytes` more than `maxBytes`
 * @param maxBytes bounds the body that is kept and the UTF-8 size of the text: invalid UTF-8 grows to three
 *   times its size
 */
export const bodyText = (
  bytes: Buffer,
  { encoding, maxBytes, mask }: { encoding: string | undefined; maxBytes: number; mask: Mask },
): string => {
  const unpacked = decompressed(bytes, encoding?.trim().toLowerCase() ?? "");
  const whole = unpacked.subarray(0, maxBytes + mask.marginBytes);
  // In streaming mode the decoder leaves out a character that the cut went through.
  const kept = new TextDecoder().decode(whole.subarray(0, maxBytes), { stream: whole.length > maxBytes });
  return cut(mask(new TextDecoder().decode(whole), kept.length), maxBytes);
};

/** Upper bound of a requested wait. */
export const MAX_RETRY_AFTER_MS = 3_600_000;

/**
 * How long the partner asks to wait, in milliseconds, from Retry-After in seconds or as an HTTP date, which is in GMT.
 * @returns null if the header is absent or unreadable
 */
export const readRetryAfter = (header: string | string[] | undefined, nowMs: number): number | null => {
  const text = (Array.isArray(header) ? header[0] : header)?.trim() ?? "";
  const date = /^[A-Z][a-z]+, .* GMT$/.test(text) ? Date.parse(text) : Number.NaN;
  const ms = /^\d{1,15}$/.test(text) ? Number(text) * 1000 : date - nowMs;
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS);
};

/**
 * What the partner answered, and what there is of the body; null if no readable status line arrived.
 */
export const answerOf = (
  { status, headers, body, complete }: ExchangeResult & { sent: true },
  { maxBytes, mask, nowMs }: { maxBytes: number; mask: Mask; nowMs: number },
): { answer: Answer; received: string } | null => {
  if (status === null) return null;
  const encoding = String(headers["content-encoding"] ?? "");
  const received = bodyText(body, { encoding, maxBytes, mask });
  const retryAfterMs = readRetryAfter(headers["retry-after"], nowMs);
  return { answer: { httpStatus: status, body: complete ? received : null, retryAfterMs }, received };
};
