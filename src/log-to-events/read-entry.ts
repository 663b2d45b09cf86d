import { eventIdentity } from "../notification/event-window.ts";
import { readNotification, type Notification } from "../notification/notification.ts";
import { occurredAtOf } from "../notification/occurred-at.ts";
import { meaningOf } from "../notification/translate.ts";
import { parseJson } from "../runtime/json-object.ts";
import { pointerNames } from "../runtime/json-pointer.ts";
import { elements, members, type Member } from "../runtime/json.ts";

type LogEntry =
  | { kind: "notification"; notification: Notification }
  /** An entry about another event. */
  | { kind: "otherType" }
  /** `detail` says what is wrong, for people; it quotes nothing of the entry. */
  | { kind: "unreadable"; detail: string };

/** JSON pointers within an entry. */
export type EntryPointers = {
  /** To the notification; null: it is the one object that has its members. */
  notificationPointer: string | null;
  /** To the name of the event; null: it is the member `eventType`. */
  eventPointer: string | null;
};

const NOT_THERE = "no notification where PARTNER_LOG_NOTIFICATION_POINTER points to";
const OTHER_EVENT =
  "a notification, although its eventType names another event: see PARTNER_LOG_EVENT_POINTER";

/** How deep a notification may lie in its entry, in objects. */
const MAX_DEPTH = 3;
const STATUS_EVENT = "TRANSACTION_STATUS_UPDATED";
/** The event may be spelled transaction.status.updated, and the like. */
const STATUS_EVENT_LETTERS = "transactionstatusupdated";

/** Returns a JSON value, or the JSON text in a string. UTF-8 cannot encode the lone surrogates that an escape makes. */
const unwrapped = (raw: string): string =>
  raw.startsWith('"') ? String(parseJson(raw)).trim().toWellFormed() : raw;

/** The last of two members of one name counts, as in JSON.parse. */
const memberOf = (all: readonly Member[], name: string): string | null =>
  all.findLast(({ key }) => key === name)?.raw ?? null;

/** @param raw JSON; null where nothing names the event */
const isOtherEvent = (raw: string | null): boolean => {
  if (raw === null || raw.includes(STATUS_EVENT)) return false;
  const event = unwrapped(raw);
  const letters = event.toLowerCase().replace(/[^a-z]/g, "");
  return !["", "null"].includes(event) && !letters.includes(STATUS_EVENT_LETTERS);
};

/** `isOther`: the eventType of the notification, or of an object around it, names another event. */
type Candidate = { notification: Notification; depth: number; isOther: boolean };

/** Returns the notifications in an entry, as objects or as JSON in strings. */
const notificationsIn = (entry: string, entryMembers: readonly Member[]): Candidate[] => {
  const candidates: Candidate[] = [];
  const visit = (text: string, all: readonly Member[], depth: number, isAroundOther: boolean): void => {
    const isOther = isAroundOther || isOtherEvent(memberOf(all, "eventType"));
    const reading = memberOf(all, "transactionId") === null ? null : readNotification(text, all);
    if (reading?.ok) candidates.push({ notification: reading.notification, depth, isOther });
    for (const { raw } of all) search(raw, depth + 1, isOther);
  };
  const search = (raw: string, depth: number, isAroundOther: boolean): void => {
    if (depth > MAX_DEPTH || !raw.includes("{")) return;
    const text = unwrapped(raw);
    if (text.startsWith("["))
      for (const element of elements(text) ?? [])
        // An array in an array is not read: the depth of a hostile entry would be that of the call stack.
        if (!element.startsWith("[")) search(element, depth, isAroundOther);
    const all = text.startsWith("{") ? members(text) : null;
    if (all !== null) visit(text, all, depth, isAroundOther);
  };
  visit(entry, entryMembers, 0, false);
  return candidates;
};

const identityOf = (notification: Notification): string =>
  eventIdentity({ ...notification, occurredAt: occurredAtOf(notification.createdAt) });

const unreadable = (detail: string): LogEntry => ({ kind: "unreadable", detail });

/**
 * Returns null where there is none.
 * @param heedsEventType whether a notification whose eventType names another event is none of ours
 */
const findNotification = (text: string, all: readonly Member[], heedsEventType: boolean): LogEntry | null => {
  const candidates = notificationsIn(text, all);
  const entryItself = candidates.find(({ depth }) => depth === 0);
  const [first = entryItself, ...others] = candidates.filter(({ depth }) => depth > 0);
  if (first === undefined) return null;
  const { notification } = first;
  const differ = others.some((other) => identityOf(other.notification) !== identityOf(notification));
  if (differ || (entryItself && entryItself.notification.transactionId !== notification.transactionId))
    return unreadable("notifications in it that differ");
  if (heedsEventType && first.isOther) return unreadable(OTHER_EVENT);
  if (first === entryItself && meaningOf(notification.status).stage === "UNKNOWN")
    return unreadable("an unknown status in the entry itself, which may be that of a delivery");
  return { kind: "notification", notification };
};

/** Returns the JSON at a pointer, which may lead into JSON within strings; null where there is none. */
const follow = (text: string, pointer: string): string | null =>
  pointerNames(pointer).reduce<string | null>((outer, name) => {
    if (outer === null) return null;
    const inner = unwrapped(outer);
    if (!inner.startsWith("[")) return memberOf(members(inner) ?? [], name);
    return elements(inner)?.find((_, index) => String(index) === name) ?? null;
  }, text);

const readAt = (text: string, pointer: string): LogEntry | null => {
  const target = follow(text, pointer);
  const reading = target === null ? null : readNotification(unwrapped(target));
  return reading?.ok ? { kind: "notification", notification: reading.notification } : null;
};

/**
 * Reads one entry of the log: an object, or a string that holds one. The notification is the entry or lies in it; its
 * createdAt and its payload are its own, not the entry's.
 */
export const readLogEntry = (raw: string, { notificationPointer, eventPointer }: EntryPointers): LogEntry => {
  const text = unwrapped(raw);
  const all = members(text);
  if (all === null) return unreadable("no JSON object");
  const isOther = isOtherEvent(
    eventPointer === null ? memberOf(all, "eventType") : follow(text, eventPointer),
  );
  if (isOther && eventPointer !== null) return { kind: "otherType" };
  const entry =
    notificationPointer === null
      ? findNotification(text, all, eventPointer === null)
      : readAt(text, notificationPointer);
  if (isOther) return entry === null ? { kind: "otherType" } : unreadable(OTHER_EVENT);
  return entry ?? unreadable(notificationPointer === null ? "no notification in it" : NOT_THERE);
};
