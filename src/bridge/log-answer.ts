import type { Config } from "../config/config.ts";
import { readAnswer, type ReadAnswer } from "../log-to-events/read-answer.ts";
import type { LogAnswer } from "../partner/types.ts";

/** As `cambio-bridge logs` shows. */
const MAX_ENTRY_BYTES = 1_048_576;

/** What the reconcile flow finds in an answer of the partner's log; nothing is published. Rejects where the body breaks off. */
export const examineLog = (
  { partner }: Config,
  { httpStatus, headers, body }: Pick<LogAnswer, "httpStatus" | "headers" | "body">,
): Promise<Pick<ReadAnswer, "reasons" | "isUnderstood">> =>
  readAnswer(
    body,
    {
      entriesPointer: partner.logEntriesPointer ?? null,
      notificationPointer: partner.logNotificationPointer ?? null,
      maxEntryBytes: MAX_ENTRY_BYTES,
    },
    { httpStatus, headers },
    () => undefined,
  );
