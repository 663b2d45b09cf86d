import type { Notification } from "../../../src/notification/notification.ts";
import { readAnswer, type ReadAnswer, type ReadOptions } from "../../../src/log-to-events/read-answer.ts";

export const bytesOf = async function* (...chunks: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield await Promise.resolve(Buffer.from(chunk));
};

/** The same bytes in two chunks, broken at every place there is. */
export const everySplit = (text: string): Uint8Array[][] => {
  const bytes = Buffer.from(text);
  return Array.from({ length: bytes.length + 1 }, (_, at) => [bytes.subarray(0, at), bytes.subarray(at)]);
};

export const OPTIONS: ReadOptions = {
  httpStatus: 200,
  headers: {},
  entriesPointer: null,
  notificationPointer: null,
  maxElementBytes: 1_048_576,
};

export type Read = Omit<ReadAnswer, "isRead" | "isUnderstood"> & { taken: Notification[] };

export const read = async (
  body: string | AsyncIterable<Uint8Array>,
  options: Partial<ReadOptions> = {},
): Promise<Read> => {
  const taken: Notification[] = [];
  const { entries, otherType, unreadable, reasons, mayShowMore } = await readAnswer(
    typeof body === "string" ? bytesOf(body) : body,
    { ...OPTIONS, ...options },
    (notification) => taken.push(notification),
  );
  return { entries, otherType, unreadable, reasons, mayShowMore, taken };
};

export const change = { createdAt: "2026-11-21T12:00:00.000Z", status: "REFUNDED", transactionId: "tx-1" };
/** What is taken of an entry that holds it. */
export const taken = { ...change, payload: JSON.stringify(change) };
