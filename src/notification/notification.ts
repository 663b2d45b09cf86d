import { isUtf8 } from "node:buffer";
import { memberOf, members, stringOf, type Member } from "../runtime/json.ts";

/** A notification of the partner: a transaction has reached a status. Each text is as sent. */
export type Notification = {
  /** Never empty. A number keeps its source text. Lone surrogates become U+FFFD, here, in `status` and `createdAt`. */
  transactionId: string;
  /** Never empty. */
  status: string;
  /** A string is kept as it is, null or no member becomes "", anything else its JSON source text. */
  createdAt: string;
  /** The whole JSON text. */
  payload: string;
};

type ReadNotification =
  | { ok: true; notification: Notification }
  /** `detail` says what is wrong, for people; it quotes nothing of the text. */
  | { ok: false; detail: string };

/** Replaces lone surrogates, which an escape can produce and UTF-8 cannot encode. */
const textOf = (source: string): string => stringOf(source).toWellFormed();

const isString = (source: string): boolean => source.startsWith('"');
const isNumber = (source: string): boolean => /^[-0-9]/.test(source);

const unreadable = (detail: string): ReadNotification => ({ ok: false, detail });

/** Never throws. */
export const readNotification = (
  payload: string,
  parsedMembers: readonly Member[] | null = members(payload),
): ReadNotification => {
  if (parsedMembers === null) return unreadable("the notification is not a JSON object");
  const transactionId = memberOf(parsedMembers, "transactionId");
  const status = memberOf(parsedMembers, "status");
  const createdAt = memberOf(parsedMembers, "createdAt") ?? "null";
  if (transactionId === null || !(isString(transactionId) || isNumber(transactionId)))
    return unreadable("transactionId is neither a string nor a number");
  if (transactionId === '""') return unreadable("transactionId is empty");
  if (status === null || !isString(status)) return unreadable("status is not a string");
  if (status === '""') return unreadable("status is empty");

  return {
    ok: true,
    notification: {
      transactionId: isString(transactionId) ? textOf(transactionId) : transactionId,
      status: textOf(status),
      createdAt: createdAt === "null" ? "" : isString(createdAt) ? textOf(createdAt) : createdAt,
      payload,
    },
  };
};

const BYTE_ORDER_MARK = "\uFEFF";

/** Reads the body of a webhook, or of its dead letter. Never throws. */
export const parseBody = (body: Buffer): ReadNotification => {
  if (!isUtf8(body)) return unreadable("the body is not valid UTF-8");
  const text = body.toString("utf8");
  return readNotification(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
};
