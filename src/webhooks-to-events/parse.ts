import { isUtf8 } from "node:buffer";
import { readNotification, type ReadNotification } from "../notification/notification.ts";
import { headerOf, type RequestHead } from "./request-head.ts";

const BYTE_ORDER_MARK = "\uFEFF";
/** Only known names: a header is not quoted. */
const COMPRESSION = /\b(?:gzip|deflate|br|zstd|compress)\b/i;
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

const compressed = (by: string): ReadNotification => ({
  ok: false,
  detail: `the body is compressed with ${by}: the sender must send it as plain JSON`,
});

/** Parses a body as a notification. Never throws. Replays of dead letters use it too, without a signature. */
export const parseBody = (body: Buffer): ReadNotification => {
  if (body.subarray(0, GZIP_MAGIC.length).equals(GZIP_MAGIC)) return compressed("gzip");
  if (!isUtf8(body)) return { ok: false, detail: "the body is not valid UTF-8" };
  const text = body.toString("utf8");
  return readNotification(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
};

/** A body that says it is compressed and can be read is plain: a proxy has decompressed it. */
export const parse = (head: RequestHead, body: Buffer): ReadNotification => {
  const read = parseBody(body);
  const encoding = read.ok ? null : headerOf(head, "content-encoding");
  const [by] = COMPRESSION.exec(encoding ?? "") ?? [];
  return by === undefined ? read : compressed(by.toLowerCase());
};
