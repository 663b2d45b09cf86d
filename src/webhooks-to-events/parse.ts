import { isUtf8 } from "node:buffer";
import { readNotification, type ReadNotification } from "../notification/notification.ts";

const BYTE_ORDER_MARK = "\uFEFF";

/** Parses a body as a notification. Never throws. Replays of dead letters use it too, without a signature. */
export const parseBody = (body: Buffer): ReadNotification => {
  if (!isUtf8(body)) return { ok: false, detail: "the body is not valid UTF-8" };
  const text = body.toString("utf8");
  return readNotification(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
};
