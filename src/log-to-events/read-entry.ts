import { eventIdentity } from "../notification/event-window.ts";
import { readNotification, type Notification } from "../notification/notification.ts";
import { occurredAtOf } from "../notification/occurred-at.ts";
import { meaningOf } from "../notification/translate.ts";
import { elements, memberOf, members, parseJson, type Member } from "../runtime/json.ts";
import { pointerNames } from "../runtime/json-pointer.ts";

type LogEntry =
  | { kind: "notification"; notification: Notification }
  /** An entry about another event. */
  | { kind: "otherType" }
  /** `detail` says what is wrong, for people; it quotes nothing of the entry. */
  | { kind: "unreadable"; detail: string };

/** JSON pointers within an entry. */
export type EntryPointers = {
  /** Leads to the notification; without it, that is the one object that has its members. */
  logNotificationPointer?: string | undefined;
  /** Leads to the name of the event; without it, that is the member `eventType`. */
  logEventPointer?: string | undefined;
};

export const NO_OBJECT = "no JSON object";
const NOT_THERE = "no notification where PARTNER_LOG_NOTIFICATION_POINTER points to";
const OTHER_EVENT =
  "a notification, although its eventType names another event: see PARTNER_LOG_EVENT_POINTER";

/** How deep a notification may lie in its entry, in objects. */
const MAX_DEPTH = 3;
/** The event may be spelled transaction.status.updated, and the like. */
const STATUS_EVENT_LETTERS = "transactionstatusupdated";

/** Returns a JSON value, or the JSON text in a string. UTF-8 cannot encode the lone surrogates that an escape makes. */
const unwrapped = (raw: string): string =>
  raw.startsWith('"') ? String(parseJson(raw)).trim().toWellFormed() : raw;

/** @param raw JSON; null where nothing names the event */
const isOtherEvent = (raw: string | null): boolean => {
  const event = raw === null ? "" : unwrapped(raw);
  const letters = event.toLowerCase().replace(/[^a-z]/g, "");
  return !["", "null"].includes(event) && !letters.includes(STATUS_EVENT_LETTERS);
};

/** `isOther`: the eventType of the notification, or of an object around it, names another event. */
type Candidate = { notification: Notification; depth: number; isOther: boolean };

/** Returns the objects that a value is or holds in an array, as JSON or as JSON in strings. */
const objectsIn = (raw: string): string[] => {
  if (!raw.includes("{")) return [];
  const text = unwrapped(raw);
  // An array in an array is not read: the depth of a hostile entry would be that of the call stack.
  const texts = text.startsWith("[") ? (elements(text) ?? []).map(unwrapped) : [text];
  return texts.filter((each) => each.startsWith("{"));
};

const notificationsIn = (
  text: string,
  all: readonly Member[] = members(text) ?? [],
  depth = 0,
  isAroundOther = false,
): Candidate[] => {
  const isOther = isAroundOther || isOtherEvent(memberOf(all, "eventType"));
  const reading = memberOf(all, "transactionId") === null ? null : readNotification(text, all);
  const values = depth < MAX_DEPTH ? all.flatMap(({ raw }) => objectsIn(raw)) : [];
  const inner = values.flatMap((each) => notificationsIn(each, undefined, depth + 1, isOther));
  return reading?.ok ? [{ notification: reading.notification, depth, isOther }, ...inner] : inner;
};

const identityOf = (notification: Notification): string =>
  eventIdentity({ ...notification, occurredAt: occurredAtOf(notification.createdAt) });

const unreadable = (detail: string): LogEntry => ({ kind: "unreadable", detail });

/** @param heedsEventType whether a notification whose eventType names another event is none of ours */
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
    const inner = unwrapped(outer ?? "");
    if (!inner.startsWith("[")) return memberOf(members(inner) ?? [], name);
    return elements(inner)?.find((_, index) => String(index) === name) ?? null;
  }, text);

const readAt = (text: string, pointer: string): LogEntry | null => {
  const target = follow(text, pointer);
  const reading = target === null ? null : readNotification(unwrapped(target));
  return reading?.ok ? { kind: "notification", notification: reading.notification } : null;
};

/** The notification is the entry or lies in it; its createdAt and its payload are its own, not the entry's. */
export const readLogEntry = (
  raw: string,
  { logNotificationPointer: pointer, logEventPointer: eventPointer }: EntryPointers,
): LogEntry => {
  const text = unwrapped(raw);
  const all = members(text);
  if (all === null) return unreadable(NO_OBJECT);
  const hasEventPointer = eventPointer !== undefined;
  const isOther = isOtherEvent(hasEventPointer ? follow(text, eventPointer) : memberOf(all, "eventType"));
  if (isOther && hasEventPointer) return { kind: "otherType" };
  const entry = pointer === undefined ? findNotification(text, all, !hasEventPointer) : readAt(text, pointer);
  if (isOther) return entry === null ? { kind: "otherType" } : unreadable(OTHER_EVENT);
  return entry ?? unreadable(pointer === undefined ? "no notification in it" : NOT_THERE);
};
