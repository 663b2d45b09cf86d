import { pipeline, Readable } from "node:stream";
import { constants, createBrotliDecompress, createUnzip } from "node:zlib";
import type { Clock } from "../../runtime/clock.ts";
import type { Mask } from "../../runtime/mask.ts";
import type { ExchangeResult } from "../connection/exchange.ts";
import type { Answer } from "../types.ts";
import { EVIDENCE_BYTES, evidenceIn, type Evidence } from "./evidence.ts";

const { Z_SYNC_FLUSH, Z_FINISH, BROTLI_OPERATION_FLUSH, BROTLI_OPERATION_FINISH } = constants;

/** `isCut`: the data may end anywhere. */
const decompressor = (encoding: string, isCut: boolean) => {
  if (encoding === "br")
    return createBrotliDecompress({ finishFlush: isCut ? BROTLI_OPERATION_FLUSH : BROTLI_OPERATION_FINISH });
  if (["gzip", "x-gzip", "deflate"].includes(encoding))
    return createUnzip({ finishFlush: isCut ? Z_SYNC_FLUSH : Z_FINISH });
  throw new Error(`the answer comes in an encoding that was not requested: ${encoding}`);
};

/** A gateway may compress although nothing asks for it. Throws on malformed or, unless `isCut`, truncated data. */
export async function* decompressed(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  contentEncoding: string | string[] | undefined,
  isCut = false,
): AsyncGenerator<Uint8Array> {
  const encoding = String(contentEncoding ?? "")
    .trim()
    .toLowerCase();
  if (encoding === "" || encoding === "identity") {
    yield* chunks;
    return;
  }
  const packed = Readable.from(chunks, { objectMode: false });
  // pipeline passes an error of either stream on to the reader.
  yield* pipeline(packed, decompressor(encoding, isCut), () => undefined) as AsyncIterable<Uint8Array>;
}

/** The start of a stream: at least `maxBytes` of it, unless it ends or fails sooner. */
export const startOfBody = async (
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<{ bytes: Buffer; hasFailed: boolean }> => {
  const parts: Uint8Array[] = [];
  let size = 0;
  let hasFailed = false;
  try {
    for await (const chunk of chunks) {
      parts.push(chunk);
      size += chunk.length;
      if (size >= maxBytes) break;
    }
  } catch {
    hasFailed = true;
  }
  return { bytes: Buffer.concat(parts), hasFailed };
};

/** Nothing may be decoded with it in streaming mode, because it would keep what is left over. */
const utf8 = new TextDecoder();

/** The start of a text that fits into `maxBytes` of UTF-8, without cutting a character. */
const cut = (text: string, maxBytes: number): string =>
  Buffer.byteLength(text) <= maxBytes
    ? text
    : text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(maxBytes)).read);

/**
 * @param body its start, at least `mask.marginBytes` more than `maxBytes` where there is more
 * @param maxBytes bounds the body that is kept and the UTF-8 size of the text: invalid UTF-8 grows threefold
 */
export const bodyText = (body: Buffer, { maxBytes, mask }: { maxBytes: number; mask: Mask }): string => {
  const whole = body.subarray(0, maxBytes + mask.marginBytes);
  const decoded = utf8.decode(whole);
  if (whole.length <= maxBytes) return cut(mask(decoded, decoded.length), maxBytes);
  // In streaming mode the decoder leaves out a character that the cut went through.
  const { length } = new TextDecoder().decode(whole.subarray(0, maxBytes), { stream: true });
  return cut(mask(decoded, length), maxBytes);
};

export const MAX_RETRY_AFTER_MS = 3_600_000;

/** Reads seconds or an HTTP date, which is in GMT, as milliseconds. Null if the header is absent or unreadable. */
export const readRetryAfter = (header: string | string[] | undefined, nowMs: number): number | null => {
  const text = (Array.isArray(header) ? header[0] : header)?.trim() ?? "";
  const date = /^[A-Z][a-z]+, .* GMT$/.test(text) ? Date.parse(text) : Number.NaN;
  const ms = /^\d{1,15}$/.test(text) ? Number(text) * 1000 : date - nowMs;
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS);
};

/** What the partner answered with a status line, and what its body proves. */
export const answerOf = async (
  httpStatus: number,
  { headers, body, complete }: ExchangeResult & { sent: true },
  { maxBytes, mask, clock }: { maxBytes: number; mask: Mask; clock: Pick<Clock, "now"> },
): Promise<{ answer: Answer; evidence: Evidence }> => {
  const limit = EVIDENCE_BYTES + mask.marginBytes;
  const isShort = complete && body.length < limit;
  const encoding = headers["content-encoding"];
  const isPacked = body.length > 0 && encoding !== undefined;
  const { bytes, hasFailed } = isPacked
    ? await startOfBody(decompressed([body], encoding, !isShort), limit)
    : { bytes: body, hasFailed: false };
  const plain = hasFailed ? null : bytes;
  const isCut = !isShort || (plain !== null && plain.length > EVIDENCE_BYTES);
  const decoder = isCut ? new TextDecoder() : utf8;
  const text = plain && decoder.decode(plain.subarray(0, EVIDENCE_BYTES), { stream: isCut });
  const keptText = complete ? bodyText(plain ?? body, { maxBytes, mask }) : null;
  const retryAfterMs = readRetryAfter(headers["retry-after"], clock.now());
  return { answer: { httpStatus, body: keptText, retryAfterMs }, evidence: evidenceIn(text, isCut) };
};
