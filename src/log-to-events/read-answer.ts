import type { Notification } from "../notification/notification.ts";
import type { LogAnswer } from "../partner/types.ts";
import { escapeInvisible } from "../runtime/invisible.ts";
import { saysFailed, type FailureSign } from "../runtime/json-pointer.ts";
import { NO_OBJECT, readLogEntry, type EntryPointers } from "./read-entry.ts";
import { splitAnswer, type SplitOptions } from "./split-answer.ts";

export type AnswerForm = SplitOptions &
  EntryPointers & {
    /** JSON pointers to members that say that there are more, unless they say nothing; [] for `none`. */
    logMorePointers?: readonly string[] | undefined;
    /** JSON pointers to members that hold a total of entries; [] for `none`. */
    logTotalPointers?: readonly string[] | undefined;
    /** What an answer says that failed, besides what {@link saysFailed} knows. */
    failedWhen: readonly FailureSign[];
    /** Hides secrets in the names of members, which an answer may repeat. */
    mask: (text: string) => string;
  };

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

/** A member that says something: its value is not null, false, 0 or empty. */
type Statement = { pointer: string; value: unknown };

/** Deeper objects count as one member: those of a hostile answer could exceed the call stack. */
const MAX_DEPTH = 8;
/** Bounds what is said of the names of members, which may be many and long. */
const MAX_NAMES_LENGTH = 400;
const NOTHING = ["", "null", "false", "0", "{}", "[]"];

const statementsIn = (value: unknown, pointer = "", depth = 0): Statement[] => {
  if (typeof value === "object" && value !== null && depth < MAX_DEPTH)
    return Object.entries(value).flatMap(([name, inner]) =>
      statementsIn(inner, `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`, depth + 1),
    );
  const text = typeof value === "string" ? value.trim() : JSON.stringify(value);
  return NOTHING.includes(text) ? [] : [{ pointer, value }];
};

/** Whether the pointer leads to the member, to an object around it, or into it where it is an array. */
const leadsTo = (pointer: string, member: string): boolean =>
  `${member}/`.startsWith(`${pointer}/`) || pointer.startsWith(`${member}/`);

const LINK_TO_NEXT = /;\s*rel\s*=\s*(?:"[^"]*\bnext\b[^"]*"|next\b)/i;
const MAX_HEADER_LENGTH = 4_096;

/** Whether a Link header (RFC 8288) names a next page. */
export const linksToMore = (link: string | string[] | undefined): boolean =>
  LINK_TO_NEXT.test([link].flat().join(", ").slice(0, MAX_HEADER_LENGTH));

const MORE = "the answer says that there are more entries than it holds";

/** Returns why members beside the entries may say that there are more, for people; null when nothing says so. */
const moreThanEntries = (
  statements: readonly Statement[],
  entries: number,
  { logMorePointers, logTotalPointers, mask }: AnswerForm,
): string | null => {
  if (logMorePointers || logTotalPointers) {
    const isNamed = (pointers: readonly string[] | undefined, member: string): boolean =>
      pointers?.some((pointer) => leadsTo(pointer, member)) ?? false;
    const saysMore = ({ pointer, value }: Statement): boolean =>
      isNamed(logMorePointers, pointer) ||
      (isNamed(logTotalPointers, pointer) && !(Number(value) <= entries));
    return statements.some(saysMore) ? MORE : null;
  }
  if (statements.length === 0) return null;
  const names = mask(statements.map(({ pointer }) => pointer).join(", ")).slice(0, MAX_NAMES_LENGTH);
  return (
    `beside its entries the answer holds ${escapeInvisible(names)}, which may say that there are more: name what does ` +
    "in PARTNER_LOG_MORE_POINTERS or PARTNER_LOG_TOTAL_POINTERS, or set both to none"
  );
};

const ERRORS = /^errors?$/i;
/** A notification outside of arrays: an empty one beside it does not hold the entries. */
const OUTSIDE = /"transactionId":["\d]/;
const NO_ARRAY = "the answer holds no array of entries";
const NO_ARRAY_THERE = "the answer has no array where PARTNER_LOG_ENTRIES_POINTER points to";

/** Rejects with the stream's error, or with SeveralArrays. `onNotification` gets repeated entries several times. */
export const readAnswer = async (
  { httpStatus, headers, body }: Pick<LogAnswer, "httpStatus" | "headers" | "body">,
  form: AnswerForm,
  onNotification: (notification: Notification) => void,
): Promise<AnswerSummary> => {
  const counts = { otherType: 0, unreadable: 0 };
  const details = new Set<string>();
  const bytes = httpStatus === 204 ? [Buffer.from("[]")] : body;
  const answer = await splitAnswer(bytes, form, ({ text, detail }) => {
    const entry = text === null ? ({ kind: "unreadable", detail } as const) : readLogEntry(text, form);
    if (entry.kind === "notification") onNotification(entry.notification);
    else counts[entry.kind] += 1;
    if (entry.kind === "unreadable") details.add(entry.detail);
  });
  const { entries, skipped, frame, fault } = answer;
  counts.unreadable += skipped;
  if (skipped > 0) details.add(NO_OBJECT);
  // An error without a code and a text says that nothing failed.
  const frameText = JSON.stringify(frame, (name, value: unknown) =>
    ERRORS.test(name) && statementsIn(value).length === 0 ? null : value,
  );
  const mayBeEmpty = form.logEntriesPointer !== undefined || !OUTSIDE.test(frameText);
  const hasArray = answer.hasArray && (entries > 0 || mayBeEmpty);

  const reasons = [...details].map((detail) => `some entries are not understood: ${detail}`);
  if (fault !== null) reasons.push(`the answer ${fault}`);
  else if (!hasArray) reasons.push(form.logEntriesPointer === undefined ? NO_ARRAY : NO_ARRAY_THERE);
  const isFailure = saysFailed(frameText, form.failedWhen);
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
