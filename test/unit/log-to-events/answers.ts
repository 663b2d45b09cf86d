import { readAnswer, type AnswerForm } from "../../../src/log-to-events/read-answer.ts";
import type { Notification } from "../../../src/notification/notification.ts";

export const bytesOf = async function* (...chunks: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield await Promise.resolve(Buffer.from(chunk));
};

export const FORM: AnswerForm = {
  failedWhen: [],
  mask: (text) => text.replaceAll("own-secret", "***"),
  maxEntryBytes: 1_048_576,
};

type Head = Partial<Omit<Parameters<typeof readAnswer>[0], "body">>;

export const read = async (body: string, form: Partial<AnswerForm> = {}, head: Head = {}) => {
  const taken: Notification[] = [];
  const answer = { httpStatus: 200, headers: {}, body: bytesOf(body), ...head };
  const summary = await readAnswer(answer, { ...FORM, ...form }, (each) => taken.push(each));
  return { ...summary, taken };
};

export const change = { createdAt: "2026-11-21T12:00:00.000Z", status: "REFUNDED", transactionId: "tx-1" };
