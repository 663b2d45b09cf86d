import type { Notification } from "../notification/notification.ts";
import { frameSaysMore, linksToMore } from "./more-hints.ts";
import { readEntry } from "./read-entry.ts";
import { FoundArray, splitAnswer, type SplitOptions } from "./split-answer.ts";

export type AnswerForm = SplitOptions & {
  /** JSON pointer to the notification within an entry; null: found by its members. */
  notificationPointer: string | null;
};

export type AnswerHead = {
  httpStatus: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
};

export type ReadAnswer = {
  /** All entries, including those of another type and the unreadable ones. */
  entries: number;
  otherType: number;
  unreadable: number;
  /** Why it is incomplete, for people; empty when it is complete. It quotes nothing of the answer. */
  reasons: string[];
  /** Whether answers about fewer days may hold entries that this one does not. */
  mayShowMore: boolean;
  /** Whether it is known which array holds the entries, and at least one of them is understood, if there are any. */
  isUnderstood: boolean;
};

/** Nothing of such an answer may count: what was handed on may lie in another array than that of the entries. */
export class SeveralArrays extends Error {
  override readonly name = "SeveralArrays";

  constructor() {
    super("the answer holds several arrays of objects: set PARTNER_LOG_ENTRIES_POINTER");
  }
}

const NO_ARRAY = "the answer holds no array of entries";
const NO_ARRAY_THERE = "the answer has no array where PARTNER_LOG_ENTRIES_POINTER points to";
const MORE = "the answer says that there are more entries than it holds";

/**
 * Reads an answer as a stream. Rejects with the error of the stream, or with SeveralArrays.
 * @param onNotification called for each notification; several times for one that is listed several times
 */
export const readAnswer = async (
  body: AsyncIterable<Uint8Array>,
  { notificationPointer, ...form }: AnswerForm,
  { httpStatus, headers }: AnswerHead,
  onNotification: (notification: Notification) => void,
): Promise<ReadAnswer> => {
  if (httpStatus === 204)
    return { entries: 0, otherType: 0, unreadable: 0, reasons: [], mayShowMore: false, isUnderstood: true };
  const { arrays, frame, fault } = await splitAnswer(body, form, ({ text, detail }, array) => {
    if (text?.startsWith("{")) array.objects += 1;
    const entry =
      text === null ? ({ kind: "unreadable", detail } as const) : readEntry(text, notificationPointer);
    if (entry.kind === "notification") {
      onNotification(entry.notification);
      return;
    }
    array[entry.kind] += 1;
    if (entry.kind === "unreadable") array.details.add(entry.detail);
  });

  // Where no pointer leads to the entries, an array of anything but objects holds none.
  const mayHold = (array: FoundArray): boolean =>
    array.isRoot || form.entriesPointer !== null || array.objects > 0;
  const [chosen = arrays.find(({ elements }) => elements === 0), ...others] = arrays.filter(mayHold);
  if (others.length > 0) throw new SeveralArrays();
  const { elements: entries, otherType, unreadable, details } = chosen ?? new FoundArray(false);

  const reasons = [...details].map((detail) => `some entries are not understood: ${detail}`);
  if (fault !== null) reasons.push(`the answer ${fault}`);
  else if (!chosen) reasons.push(form.entriesPointer === null ? NO_ARRAY : NO_ARRAY_THERE);
  if (entries > 0 && otherType === entries) reasons.push("all entries say another event type");
  const saysMore = httpStatus === 206 || linksToMore(headers["link"]) || frameSaysMore(frame, entries);
  if (saysMore) reasons.push(MORE);
  return {
    entries,
    otherType,
    unreadable,
    reasons,
    isUnderstood: chosen !== undefined && (entries === 0 ? fault === null : unreadable < entries),
    mayShowMore: fault !== null || saysMore,
  };
};
