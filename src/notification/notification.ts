import { members, stringOf } from "../runtime/json.ts";

/** What the partner says of a transaction, each text as sent. */
export type Notification = {
  /** Not empty. A JSON number is kept as its source text. Lone surrogates, which no UTF-8 can hold, are U+FFFD here and in `status` and `createdAt`. */
  transactionId: string;
  /** Not empty. */
  status: string;
  /** A string as it is, null or absent as empty, anything else as its source text. */
  createdAt: string;
  /** The JSON text itself. */
  payload: string;
};

export type ReadNotification =
  | { ok: true; notification: Notification }
  /** `detail` says what is wrong, for people; it repeats nothing of the text. */
  | { ok: false; detail: string };

const wellFormed = (text: string): string => Buffer.from(text, "utf8").toString("utf8");

// Valid UTF-8 holds no lone surrogate, so only an escape can bring one in.
const textOf = (source: string): string =>
  source.includes("\\") ? wellFormed(stringOf(source)) : stringOf(source);

const isString = (source: string): boolean => source.startsWith('"');
const isNumber = (source: string): boolean => /^[-0-9]/.test(source);

const notUnderstood = (detail: string): ReadNotification => ({ ok: false, detail });

/** Reads a JSON text as a notification. Of a name that occurs twice the last one counts, as in JSON.parse. Never throws. */
export const readNotification = (payload: string): ReadNotification => {
  let transactionId: string | undefined;
  let status: string | undefined;
  let createdAt = "null";
  const all = members(payload);
  if (all === null) return notUnderstood("it is not a JSON object");
  for (const { key, raw } of all) {
    if (key === "transactionId") transactionId = raw;
    else if (key === "status") status = raw;
    else if (key === "createdAt") createdAt = raw;
  }
  if (transactionId === undefined || !(isString(transactionId) || isNumber(transactionId)))
    return notUnderstood("transactionId is neither a string nor a number");
  if (transactionId === '""') return notUnderstood("transactionId is empty");
  if (status === undefined || !isString(status)) return notUnderstood("status is not a string");
  if (status === '""') return notUnderstood("status is empty");

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
