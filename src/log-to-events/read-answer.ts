import type { Notification } from "../notification/notification.ts";
import { objectOf, type Json } from "../runtime/json-object.ts";
import { saysFailed, type FailureSign } from "../runtime/says-failed.ts";
import { readEntry } from "./read-entry.ts";
import { FoundArray, splitAnswer, type SplitOptions } from "./split-answer.ts";

/** How deep a hint may stand, in objects: at the root, beside the array, or in an object of either. */
const MAX_DEPTH = 4;

const normalized = (name: string): string =>
  name
    .normalize("NFD")
    .toLowerCase()
    .replace(/[^a-z]/g, "");

const numberOf = (value: unknown): number =>
  typeof value === "number" || (typeof value === "string" && /^\d+$/.test(value)) ? Number(value) : 0;
const isTrue = (value: unknown): boolean => value === true || value === "true";
const isFalse = (value: unknown): boolean => value === false || value === "false";
/** Null, false, 0, an empty text and an empty object name no next page. */
const isPresent = (value: unknown): boolean => {
  const inner = objectOf(value);
  if (inner) return Object.values(inner).some(isPresent);
  const isText = typeof value === "string" && value.trim() !== "" && !isFalse(value);
  return isText || isTrue(value) || numberOf(value) > 0;
};
/** Of an error: nothing failed. An array is not void: its elements are not in the frame. */
const isVoid = (value: unknown): boolean => {
  const inner = objectOf(value);
  return inner ? Object.values(inner).every(isVoid) : [null, "", 0, false].includes(value as null);
};

const THINGS = [
  "items?|itens|records?|registros?|elements?|elementos?|results?|resultados?|entry|entries|entradas?",
  "logs?|rows?|linhas?|hits?|notifications?|notificacao|notificacoes|events?|eventos?",
].join("|");
/** Also two of them: totalNumberOfRecords, quantidadeTotal. `number` alone is that of a page. */
const HOW_MANY = "((total|count|qtde?|quantidade|num(ber|ero)?(?=.))(of|de)?)";
const TOTAL = `^(odata)?${HOW_MANY}{1,2}(${THINGS})?(count)?$|^(${THINGS})(count|total)$`;
const PAGES = new RegExp(`^${HOW_MANY}{0,2}(pages|paginas)(count|total)?$`);

/** Names of members, in lower case without accents and separators, and what value says that there are more. */
const HINTS: readonly (readonly [names: RegExp, saysMore: (value: unknown, entries: number) => boolean])[] = [
  [/^(is|has|have|tem|ha|possui|existem?)?(more|mais|next|proxim|seguinte)/, isTrue],
  [/truncad|truncat|^(partial|parcial|incomplet)/, isTrue],
  [/^(is|eh?)?(last|ultim[ao])(page|pagina)?$/, isFalse],
  [PAGES, (value) => numberOf(value) > 1],
  [/^pag(e|ina)count$|^(last|ultima)(page|pagina)$/, (value) => numberOf(value) > 1],
  [new RegExp(TOTAL), (value, entries) => numberOf(value) > entries],
  [/^(odata)?(next|proxim)|(next|proxim[ao]|seguinte)$/, isPresent],
  [/^(?!prev|anterior|start|before).*cursor|continua|^marker$/, isPresent],
  [/^(page|scroll|pagina)(token|id|key|chave)$|^(last|ultima)(evaluated)?(key|chave)$/, isPresent],
];

/**
 * Whether an answer says that there are more entries than it holds.
 * @param frame the answer without the elements of its arrays
 * @param entries how many it holds
 */
export const frameSaysMore = (frame: unknown, entries: number): boolean => {
  const search = (object: Json, depth: number): boolean =>
    Object.entries(object).some(([name, value]) => {
      const says = normalized(name);
      const inner = depth < MAX_DEPTH ? objectOf(value) : null;
      return (
        HINTS.some(([names, saysMore]) => names.test(says) && saysMore(value, entries)) ||
        (inner !== null && search(inner, depth + 1))
      );
    });
  const root = objectOf(frame);
  return root !== null && search(root, 1);
};

const LINK_TO_NEXT = /;\s*rel\s*=\s*(?:"[^"]*\bnext\b[^"]*"|next\b)/i;
const MAX_HEADER_LENGTH = 4_096;

/** Whether a Link header (RFC 8288) says the same. */
export const linksToMore = (link: string | string[] | undefined): boolean =>
  LINK_TO_NEXT.test([link].flat().join(", ").slice(0, MAX_HEADER_LENGTH));

export type AnswerForm = SplitOptions & {
  /** JSON pointer to the notification within an entry; null: found by its members. */
  notificationPointer: string | null;
  /** What an answer says that failed, besides what {@link saysFailed} knows. */
  failedWhen: readonly FailureSign[];
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

const ERRORS = /^errors?$/i;
/** A notification outside of arrays: an empty one beside it does not hold the entries. */
const OUTSIDE = /"transactionId":["\d]/;

const NO_ARRAY = "the answer holds no array of entries";
const NO_ARRAY_THERE = "the answer has no array where PARTNER_LOG_ENTRIES_POINTER points to";
const FAILED = "the answer says that it failed";
const MORE = "the answer says that there are more entries than it holds";

/**
 * Reads an answer as a stream. Rejects with the error of the stream, or with SeveralArrays.
 * @param onNotification called for each notification; several times for one that is listed several times
 */
export const readAnswer = async (
  body: AsyncIterable<Uint8Array>,
  { notificationPointer, failedWhen, ...form }: AnswerForm,
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
    array.name === null || form.entriesPointer !== null || array.objects > 0;
  const beside = JSON.stringify(frame, (name, value: unknown) =>
    ERRORS.test(name) && isVoid(value) ? null : value,
  );
  const empty = OUTSIDE.test(beside) ? undefined : arrays.find(({ elements }) => elements === 0);
  const [chosen = empty, ...others] = arrays.filter(mayHold);
  if (others.length > 0) throw new SeveralArrays();
  const { elements: entries, otherType, unreadable, details } = chosen ?? new FoundArray(null);

  const reasons = [...details].map((detail) => `some entries are not understood: ${detail}`);
  if (fault !== null) reasons.push(`the answer ${fault}`);
  else if (!chosen) reasons.push(form.entriesPointer === null ? NO_ARRAY : NO_ARRAY_THERE);
  const isFailure =
    saysFailed(beside, failedWhen) ||
    arrays.some(({ name, elements }) => elements > 0 && ERRORS.test(name ?? ""));
  if (isFailure) reasons.push(FAILED);
  if (entries > 0 && otherType === entries) reasons.push("all entries say another event type");
  const saysMore = httpStatus === 206 || linksToMore(headers["link"]) || frameSaysMore(frame, entries);
  if (saysMore) reasons.push(MORE);
  return {
    entries,
    otherType,
    unreadable,
    reasons,
    isUnderstood:
      chosen !== undefined && !isFailure && (entries === 0 ? fault === null : unreadable < entries),
    mayShowMore: fault !== null || isFailure || saysMore,
  };
};
