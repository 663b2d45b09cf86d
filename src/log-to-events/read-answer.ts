import type { Notification } from "../notification/notification.ts";
import type { LogAnswer } from "../partner/types.ts";
import { saysFailed, type FailureSign } from "../runtime/json-pointer.ts";
import { linksToMore, MORE, moreThanEntries, statementsIn, type MoreOptions } from "./more-entries.ts";
import { readLogEntry, type EntryPointers } from "./read-entry.ts";
import { splitAnswer, type SplitOptions } from "./split-answer.ts";

/** What the settings say about the form of an answer. */
export type AnswerForm = SplitOptions &
  EntryPointers &
  MoreOptions & {
    /** What an answer says that failed, besides what {@link saysFailed} knows. */
    failedWhen: readonly FailureSign[];
  };

/** The counts and findings of one answer. */
export type AnswerSummary = {
  /** All entries, including those of another type and the unreadable ones. */
  entries: number;
  otherType: number;
  unreadable: number;
  /** Why it is incomplete, for people; empty when it is complete. */
  reasons: string[];
  /** Whether answers about fewer days may hold entries that this one does not. */
  mayShowMore: boolean;
  /** Whether it is certain which array holds the entries, and at least one of them is understood, if there are any. */
  isUnderstood: boolean;
};

const ERRORS = /^errors?$/i;
const NO_ARRAY = "the answer holds no array of entries";
const NO_ARRAY_THERE = "the answer has no array where PARTNER_LOG_ENTRIES_POINTER points to";

/**
 * Reads an answer as a stream. Rejects with the error of the stream, or with SeveralArrays.
 * @param onNotification called for each notification; several times for one that is listed several times
 */
export const readAnswer = async (
  { httpStatus, headers, body }: Pick<LogAnswer, "httpStatus" | "headers" | "body">,
  form: AnswerForm,
  onNotification: (notification: Notification) => void,
): Promise<AnswerSummary> => {
  const counts = { otherType: 0, unreadable: 0 };
  const details = new Set<string>();
  const json = httpStatus === 204 ? [Buffer.from("[]")] : body;
  const { hasArray, entries, frame, fault } = await splitAnswer(json, form, ({ text, detail }) => {
    const entry = text === null ? ({ kind: "unreadable", detail } as const) : readLogEntry(text, form);
    if (entry.kind === "notification") onNotification(entry.notification);
    else counts[entry.kind] += 1;
    if (entry.kind === "unreadable") details.add(entry.detail);
  });

  const reasons = [...details].map((detail) => `some entries are not understood: ${detail}`);
  if (fault !== null) reasons.push(`the answer ${fault}`);
  else if (!hasArray) reasons.push(form.logEntriesPointer === undefined ? NO_ARRAY : NO_ARRAY_THERE);
  // An error without a code and a text says that nothing failed.
  const beside = JSON.stringify(frame, (name, value: unknown) =>
    ERRORS.test(name) && statementsIn(value).length === 0 ? null : value,
  );
  const isFailure = saysFailed(beside, form.failedWhen);
  if (isFailure) reasons.push("the answer says that it failed");
  if (entries > 0 && counts.otherType === entries) reasons.push("all entries say another event type");
  const isCut = httpStatus === 206 || linksToMore(headers["link"]);
  const more = isCut ? MORE : moreThanEntries(hasArray ? statementsIn(frame) : [], entries, form);
  if (more !== null && !isFailure) reasons.push(more);
  return {
    entries,
    ...counts,
    reasons,
    mayShowMore: fault !== null || isFailure || more !== null,
    isUnderstood: hasArray && !isFailure && (entries === 0 ? fault === null : counts.unreadable < entries),
  };
};
