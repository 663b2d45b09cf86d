import type { Notification } from "../notification/notification.ts";
import { readEntries, type EntriesSink } from "./entries.ts";
import { readEntry, type UnreadableDetail } from "./entry.ts";
import { JSON_FAULTS, type JsonFault } from "./json-stream.ts";
import { normalized } from "./named.ts";
import { moreHints, noteElement, noteHeaders, type AnswerHeaders, type MoreHint } from "./more.ts";
import { isOfRows, readRows } from "./rows.ts";

export type ReadOptions = {
  headers: AnswerHeaders;
  /** JSON pointers to the array of entries, and to the notification within an entry; null: they are looked for. */
  entriesPointer: string | null;
  notificationPointer: string | null;
  /** A larger entry is not read, and no single string may be longer. */
  maxElementBytes: number;
};

/** Why an answer does not tell all that was asked for; for people. Nothing of the answer is repeated. */
export type IncompleteReason =
  | `the answer ${(typeof JSON_FAULTS)[JsonFault]}`
  | typeof NO_ARRAY
  | typeof NO_ARRAY_THERE
  | typeof ALL_OF_OTHER_TYPE
  | `some entries are not understood: ${UnreadableDetail}`
  | MoreHint;

export type ReadAnswer = {
  /** How many there were, the other two numbers among them. */
  entries: number;
  otherType: number;
  unreadable: number;
  /** Empty when the answer is complete. */
  reasons: IncompleteReason[];
  /** Whether other answers, about fewer days, may show what this one does not. */
  mayShowMore: boolean;
  /** Whether its form is understood, though some entries may not be. */
  isUnderstood: boolean;
};

const NO_ARRAY = "the answer holds no array of entries";
const NO_ARRAY_THERE = "the answer has no array where PARTNER_LOG_ENTRIES_POINTER points to";
const ALL_OF_OTHER_TYPE = "all entries say another event type";

/** Arrays of these names hold no entries. */
const NO_ENTRIES = new Set(["errors", "error", "warnings", "messages", "links", "details", "columns"]);

/** An element that no rule understands but that names one looks like an entry all the same. */
const NAMES_A_TRANSACTION = /transaction[_-]?id/i;

type Tally = {
  elements: number;
  otherType: number;
  unreadable: number;
  /** Of the unreadable ones, those that look like entries. */
  likeEntries: number;
  details: Set<UnreadableDetail>;
};

const nothing = (): Tally => ({
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
 * Reads an answer of unknown form as a stream, and hands on each notification that is found, attempts of the same one as often as they stand there. What
 * breaks the stream off is thrown; what was read until then has been handed on.
 */
export const readAnswer = async (
  body: AsyncIterable<Uint8Array>,
  { headers, entriesPointer, notificationPointer, maxElementBytes }: ReadOptions,
  take: (notification: Notification) => void,
): Promise<ReadAnswer> => {
  const more = moreHints();
  noteHeaders(more, headers);
  let arrays = 0;
  let current = nothing();
  /** Of arrays in which something was understood, and of the others. */
  const understood = nothing();
  const others = nothing();

  const arrayEnd = () => {
    const hasEntries = current.elements > current.unreadable;
    add(hasEntries ? understood : others, current);
    if (hasEntries) more.array(current.elements);
    current = nothing();
  };
  const unreadable = (text: string | null, detail: UnreadableDetail) => {
    current.unreadable++;
    current.details.add(detail);
    if (text === null || NAMES_A_TRANSACTION.test(text)) current.likeEntries++;
    if (text !== null) noteElement(more, text);
  };
  const sink: EntriesSink = {
    element: (text) => {
      current.elements++;
      if (text === null) {
        unreadable(null, "larger than an entry may be");
        return;
      }
      const entry = readEntry(text, notificationPointer);
      if (entry.kind === "notification") take(entry.notification);
      else if (entry.kind === "otherType") current.otherType++;
      else unreadable(text, entry.detail);
    },
    arrayEnd: (name) => {
      // An empty list of errors says nothing of entries.
      if (current.elements > 0 || !NO_ENTRIES.has(normalized(name))) arrays++;
      arrayEnd();
    },
    member: more.member,
  };

  const fault = isOfRows(headers)
    ? await readRows(body, maxElementBytes, sink)
    : await readEntries(body, { entriesPointer, maxElementBytes }, sink);
  // The array in which it broke off has no end.
  arrayEnd();

  // Arrays of links, errors or columns are no entries, unless there is nothing else.
  const nothingUnderstood = understood.elements === 0;
  if (nothingUnderstood) add(understood, others);
  const lookLikeEntries = nothingUnderstood ? 0 : others.likeEntries;
  const entries = understood.elements + lookLikeEntries;
  const details = lookLikeEntries > 0 ? [...understood.details, ...others.details] : understood.details;
  const hint = more.hint(entries);

  const reasons: IncompleteReason[] = [];
  if (fault !== null) reasons.push(`the answer ${JSON_FAULTS[fault]}`);
  else if (arrays === 0) reasons.push(entriesPointer === null ? NO_ARRAY : NO_ARRAY_THERE);
  for (const detail of new Set(details)) reasons.push(`some entries are not understood: ${detail}`);
  if (entries > 0 && understood.otherType === entries) reasons.push(ALL_OF_OTHER_TYPE);
  if (hint !== null) reasons.push(hint);
  return {
    entries,
    otherType: understood.otherType,
    unreadable: understood.unreadable + lookLikeEntries,
    reasons,
    isUnderstood: fault === null && arrays > 0,
    mayShowMore: (fault !== null && fault !== "empty") || hint !== null,
  };
};
