import type { Notification } from "../notification/notification.ts";
import { readJsonEntries, type EntriesSink } from "./json-entries.ts";
import { readEntry, type UnreadableDetail } from "./read-entry.ts";
import { JSON_FAULTS, type JsonFault } from "./json-stream.ts";
import { normalize } from "./normalize.ts";
import {
  paginationHints,
  noteElement,
  noteHead,
  type AnswerHeaders,
  type PaginationHint,
} from "./pagination-hints.ts";
import { isCsv, readCsvEntries } from "./csv-entries.ts";
import { statedFailure } from "./stated-failure.ts";

export type ReadOptions = {
  httpStatus: number;
  headers: AnswerHeaders;
  /**
   * JSON pointers to the array of entries, and to the notification within an entry; null: found by
   * heuristics.
   */
  entriesPointer: string | null;
  notificationPointer: string | null;
  /** A larger entry is unreadable; a longer string ends the answer. */
  maxElementBytes: number;
};

/** Why an answer is incomplete, for people. It quotes nothing of the answer. */
export type IncompleteReason =
  | `the answer ${(typeof JSON_FAULTS)[JsonFault]}`
  | typeof NO_ARRAY
  | typeof NO_ARRAY_THERE
  | typeof ALL_OF_OTHER_TYPE
  | typeof SAYS_FAILED
  | `some entries are not understood: ${UnreadableDetail}`
  | PaginationHint;

export type ReadAnswer = {
  /** All entries, including those of another type and the unreadable ones. */
  entries: number;
  otherType: number;
  unreadable: number;
  /** Empty when the answer is complete. */
  reasons: IncompleteReason[];
  /** Whether answers about fewer days may hold entries that this one does not. */
  mayShowMore: boolean;
  /** Whether it could be read at all: to its end, or until an entry that is understood. */
  isRead: boolean;
  /**
   * Whether the form of the answer is understood: it shows no entry, or at least one of them is understood.
   * Others may be unreadable all the same.
   */
  isUnderstood: boolean;
};

const NO_ARRAY = "the answer holds no array of entries";
const NO_ARRAY_THERE = "the answer has no array where PARTNER_LOG_ENTRIES_POINTER points to";
const ALL_OF_OTHER_TYPE = "all entries say another event type";
const SAYS_FAILED = "the answer says that it failed";

/** Arrays with these names hold no entries. */
const OTHER_ARRAYS = new Set(["errors", "error", "warnings", "messages", "links", "details", "columns"]);

/** An unreadable element that matches this is counted as an entry. */
const MENTIONS_TRANSACTION = /transaction[_-]?id/i;

type Tally = {
  elements: number;
  otherType: number;
  unreadable: number;
  /** Unreadable elements that look like entries. */
  likeEntries: number;
  details: Set<UnreadableDetail>;
};

const emptyTally = (): Tally => ({
  elements: 0,
  otherType: 0,
  unreadable: 0,
  likeEntries: 0,
  details: new Set(),
});

const add = (sum: Tally, other: Tally): void => {
  sum.elements += other.elements;
  sum.otherType += other.otherType;
  sum.unreadable += other.unreadable;
  sum.likeEntries += other.likeEntries;
  for (const detail of other.details) sum.details.add(detail);
};

/**
 * Reads an answer of unknown form as a stream, and hands each notification that it finds to `onNotification`;
 * one that is listed several times, several times. Rejects with the error of the stream; what was read before
 * has been handed on.
 */
export const readAnswer = async (
  body: AsyncIterable<Uint8Array>,
  { httpStatus, headers, entriesPointer, notificationPointer, maxElementBytes }: ReadOptions,
  onNotification: (notification: Notification) => void,
): Promise<ReadAnswer> => {
  const hints = paginationHints();
  noteHead(hints, httpStatus, headers);
  const failure = statedFailure();
  let arrays = 0;
  let current = emptyTally();
  /** The arrays in which at least one element was understood. */
  const understood = emptyTally();
  const others = emptyTally();

  const arrayEnd = () => {
    const hasEntries = current.elements > current.unreadable;
    add(hasEntries ? understood : others, current);
    if (hasEntries) hints.array(current.elements);
    current = emptyTally();
  };
  const unreadable = (text: string | null, detail: UnreadableDetail) => {
    current.unreadable++;
    current.details.add(detail);
    if (text === null || MENTIONS_TRANSACTION.test(text)) current.likeEntries++;
    if (text !== null) noteElement(hints, text);
  };
  const sink: EntriesSink = {
    element: (text) => {
      current.elements++;
      if (text === null) {
        unreadable(null, "larger than an entry may be");
        return;
      }
      const entry = readEntry(text, notificationPointer);
      if (entry.kind === "notification") onNotification(entry.notification);
      else if (entry.kind === "otherType") current.otherType++;
      else unreadable(text, entry.detail);
    },
    arrayEnd: (name, depth) => {
      failure.array(name, current.elements, depth);
      if (current.elements === 0 || current.elements > current.unreadable) failure.entriesAt(depth);
      // An empty list of errors does not prove that the answer has an array of entries.
      if (current.elements > 0 || !OTHER_ARRAYS.has(normalize(name))) arrays++;
      arrayEnd();
    },
    otherArrayEnd: failure.array,
    member: (name, value, parent, depth) => {
      hints.member(name, value, parent);
      failure.member(name, value, parent, depth);
    },
  };

  const fault = isCsv(headers)
    ? await readCsvEntries(body, { headers, maxElementBytes }, sink)
    : await readJsonEntries(body, { entriesPointer, maxElementBytes }, sink);
  // Counts the array in which a fault ended the answer.
  arrayEnd();

  const isToItsEnd = fault === null || fault === "empty";
  // Arrays without a readable entry (links, errors, columns) are ignored, unless there is no other array.
  const nothingUnderstood = understood.elements === 0;
  if (nothingUnderstood) add(understood, others);
  const lookLikeEntries = nothingUnderstood ? 0 : others.likeEntries;
  const entries = understood.elements + lookLikeEntries;
  const details = lookLikeEntries > 0 ? [...understood.details, ...others.details] : understood.details;
  const hint = hints.hint(entries);

  const reasons: IncompleteReason[] = [];
  if (fault !== null) reasons.push(`the answer ${JSON_FAULTS[fault]}`);
  else if (arrays === 0) reasons.push(entriesPointer === null ? NO_ARRAY : NO_ARRAY_THERE);
  for (const detail of new Set(details)) reasons.push(`some entries are not understood: ${detail}`);
  if (entries > 0 && understood.otherType === entries) reasons.push(ALL_OF_OTHER_TYPE);
  if (hint !== null) reasons.push(hint);
  if (failure.isStated()) reasons.push(SAYS_FAILED);
  return {
    entries,
    otherType: understood.otherType,
    unreadable: understood.unreadable + lookLikeEntries,
    reasons,
    isRead: isToItsEnd || fault === "unframed" || !nothingUnderstood,
    isUnderstood: fault === null && arrays > 0 && !(nothingUnderstood && others.elements > 0),
    mayShowMore: !isToItsEnd || hint !== null || failure.isStated(),
  };
};
