import type { Notification } from "../notification/notification.ts";
import { objectOf } from "../runtime/json-object.ts";
import { saysFailed, type FailureSign } from "../runtime/says-failed.ts";
import { moreThanEntries, type AnswerHead, type MoreOptions } from "./more-entries.ts";
import { readLogEntry, type EntryPointers } from "./read-entry.ts";
import { AnswerArray, splitAnswer, type SplitOptions } from "./split-answer.ts";

/** What is known of the form of an answer. */
export type AnswerForm = SplitOptions &
  EntryPointers &
  MoreOptions & {
    /** What an answer says that failed, besides what {@link saysFailed} knows. */
    failedWhen: readonly FailureSign[];
  };

/** The counts and findings of one answer. */
type AnswerSummary = {
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

/** Nothing of such an answer may count: what was handed on may lie in another array than that of the entries. */
export class SeveralArrays extends Error {
  override readonly name = "SeveralArrays";

  constructor() {
    super("the answer holds several arrays of objects: set PARTNER_LOG_ENTRIES_POINTER");
  }
}

const ERRORS = /^errors?$/i;
/** A notification outside of arrays: an empty one beside it does not hold the entries. */
const OUTSIDE = /"transactionId":["\d]/;

const NO_ARRAY = "the answer holds no array of entries";
const NO_ARRAY_THERE = "the answer has no array where PARTNER_LOG_ENTRIES_POINTER points to";
const FAILED = "the answer says that it failed";

/** Whether the value of an error says that nothing failed. The elements of an array are not in the frame. */
const isVoid = (value: unknown): boolean => {
  const inner = objectOf(value);
  return inner ? Object.values(inner).every(isVoid) : [null, "", 0, false].includes(value as null);
};

/**
 * Reads an answer as a stream. Rejects with the error of the stream, or with SeveralArrays.
 * @param onNotification called for each notification; several times for one that is listed several times
 */
export const readAnswer = async (
  body: AsyncIterable<Uint8Array>,
  form: AnswerForm,
  head: AnswerHead,
  onNotification: (notification: Notification) => void,
): Promise<AnswerSummary> => {
  if (head.httpStatus === 204)
    return { entries: 0, otherType: 0, unreadable: 0, reasons: [], mayShowMore: false, isUnderstood: true };
  const { arrays, frame, fault } = await splitAnswer(body, form, ({ text, detail }, array) => {
    if (text?.startsWith("{")) array.objects += 1;
    const entry = text === null ? ({ kind: "unreadable", detail } as const) : readLogEntry(text, form);
    if (entry.kind === "notification") {
      onNotification(entry.notification);
      return;
    }
    array[entry.kind] += 1;
    if (entry.kind === "unreadable") array.details.add(entry.detail);
  });

  const beside = JSON.stringify(frame, (name, value: unknown) =>
    ERRORS.test(name) && isVoid(value) ? null : value,
  );
  const candidates = arrays.filter(({ isCandidate }) => isCandidate);
  // Where no pointer leads to the entries, an array of anything but objects holds none.
  const arraysOfEntries = candidates.filter(
    ({ path, objects }) => path.length === 0 || form.entriesPointer !== null || objects > 0,
  );
  if (arraysOfEntries.length > 1) throw new SeveralArrays();
  const empty = OUTSIDE.test(beside) ? undefined : candidates.find(({ elements }) => elements === 0);
  const [array = empty] = arraysOfEntries;
  const others = arrays.filter((other) => other !== array);
  const { elements: entries, otherType, unreadable, details } = array ?? new AnswerArray([], false);

  const reasons = [...details].map((detail) => `some entries are not understood: ${detail}`);
  if (fault !== null) reasons.push(`the answer ${fault}`);
  else if (!array) reasons.push(form.entriesPointer === null ? NO_ARRAY : NO_ARRAY_THERE);
  const isFailure =
    saysFailed(beside, form.failedWhen) ||
    others.some(({ path, elements }) => elements > 0 && ERRORS.test(path.at(-1) ?? ""));
  if (isFailure) reasons.push(FAILED);
  if (entries > 0 && otherType === entries) reasons.push("all entries say another event type");
  const more = isFailure ? null : moreThanEntries(head, { frame, others, entries }, form);
  if (more !== null) reasons.push(more);
  return {
    entries,
    otherType,
    unreadable,
    reasons,
    isUnderstood:
      array !== undefined && !isFailure && (entries === 0 ? fault === null : unreadable < entries),
    mayShowMore: fault !== null || isFailure || more !== null,
  };
};
