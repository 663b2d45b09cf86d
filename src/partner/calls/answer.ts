import type { ExchangeResult } from "../connection/exchange.ts";
import type { Answer } from "../types.ts";
import type { Mask } from "../../runtime/mask.ts";
import { decompressed } from "./decompress.ts";
import { EVIDENCE_BYTES, evidenceIn, type Evidence } from "./evidence.ts";

/** `isCut`: it may end anywhere. */
type Packing = { encoding: string; isCut: boolean };

async function* of(bytes: Buffer): AsyncGenerator<Buffer> {
  yield await Promise.resolve(bytes);
}

/** The start of what a body unpacks to, at least `maxBytes` of it; null if it cannot be unpacked. */
export const unpack = async (
  bytes: Buffer,
  { encoding, isCut }: Packing,
  maxBytes: number,
): Promise<Buffer | null> => {
  if (bytes.length === 0 || encoding === "") return bytes;
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of decompressed(of(bytes), encoding, isCut)) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= maxBytes) break;
    }
  } catch {
    return null;
  }
  return Buffer.concat(chunks);
};

/** The start of a text that fits into `maxBytes` of UTF-8, without cutting a character. */
const cut = (text: string, maxBytes: number): string =>
  Buffer.byteLength(text) <= maxBytes
    ? text
    : text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(maxBytes)).read);

/**
 * A body as text, with the secrets masked.
 * @param body its start, at least `mask.marginBytes` more than `maxBytes` where there is more
 * @param maxBytes bounds the body that is kept and the UTF-8 size of the text: invalid UTF-8 grows to three
 *   times its size
 */
export const bodyText = (body: Buffer, { maxBytes, mask }: { maxBytes: number; mask: Mask }): string => {
  const whole = body.subarray(0, maxBytes + mask.marginBytes);
  // In streaming mode the decoder leaves out a character that the cut went through.
  const decoded = new TextDecoder().decode(whole);
  if (whole.length <= maxBytes) return cut(mask(decoded, decoded.length), maxBytes);
  const { length } = new TextDecoder().decode(whole.subarray(0, maxBytes), { stream: true });
  return cut(mask(decoded, length), maxBytes);
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

/** What the partner answered, and what its body proves; null if no readable status line arrived. */
export const answerOf = async (
  { status, headers, body, complete }: ExchangeResult & { sent: true },
  { maxBytes, mask, nowMs }: { maxBytes: number; mask: Mask; nowMs: number },
): Promise<{ answer: Answer; evidence: Evidence } | null> => {
  if (status === null) return null;
  const limit = EVIDENCE_BYTES + mask.marginBytes;
  const isShort = complete && body.length < limit;
  const encoding = String(headers["content-encoding"] ?? "");
  const plain = await unpack(body, { encoding, isCut: !isShort }, limit);
  const isCut = !isShort || (plain !== null && plain.length > EVIDENCE_BYTES);
  const text = plain && new TextDecoder().decode(plain.subarray(0, EVIDENCE_BYTES), { stream: isCut });
  const keptText = complete ? bodyText(plain ?? body, { maxBytes, mask }) : null;
  const retryAfterMs = readRetryAfter(headers["retry-after"], nowMs);
  return { answer: { httpStatus: status, body: keptText, retryAfterMs }, evidence: evidenceIn(text, isCut) };
};
