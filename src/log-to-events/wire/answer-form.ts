import type { Services } from "../../kafka/wire/services.ts";
import type { AnswerForm } from "../read-answer.ts";

/** The form of the log's answers, as far as the settings say it. */
export const answerForm = (
  { partner }: Services["config"],
  { mask, maxEntryBytes }: Pick<AnswerForm, "mask" | "maxEntryBytes">,
): AnswerForm => ({
  entriesPointer: partner.logEntriesPointer ?? null,
  notificationPointer: partner.logNotificationPointer ?? null,
  eventPointer: partner.logEventPointer ?? null,
  morePointers: partner.logMorePointers ?? null,
  totalPointers: partner.logTotalPointers ?? null,
  failedWhen: partner.failedWhen,
  mask,
  maxEntryBytes,
});
