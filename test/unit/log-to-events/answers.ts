import type { AnswerHead } from "../../../src/log-to-events/more-entries.ts";
import { readAnswer, type AnswerForm } from "../../../src/log-to-events/read-answer.ts";
import type { Notification } from "../../../src/notification/notification.ts";

export const bytesOf = async function* (...chunks: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield await Promise.resolve(Buffer.from(chunk));
};

export const FORM: AnswerForm = {
  entriesPointer: null,
  notificationPointer: null,
  failedWhen: [],
  eventPointer: null,
  morePointers: null,
  totalPointers: null,
  mask: (text) => text.replaceAll("own-secret", "***"),
  maxEntryBytes: 1_048_576,
};

export const read = async (
  body: string | Uint8Array | AsyncIterable<Uint8Array>,
  form: Partial<AnswerForm> = {},
  head: Partial<AnswerHead> = {},
) => {
  const taken: Notification[] = [];
  const whole = { httpStatus: 200, headers: {}, ...head };
  const chunks = typeof body === "string" || body instanceof Uint8Array ? bytesOf(body) : body;
  const answer = await readAnswer(chunks, { ...FORM, ...form }, whole, (each) => taken.push(each));
  return { ...answer, taken };
};

export const change = { createdAt: "2026-11-21T12:00:00.000Z", status: "REFUNDED", transactionId: "tx-1" };
