import { identityOf } from "../notification/event-window.ts";
import { readNotification, type Notification } from "../notification/notification.ts";
import { occurredAtOf } from "../notification/occurred-at.ts";
import { meaningOf } from "../notification/translate.ts";
import { parseJson } from "../runtime/json-object.ts";
import { pointerNames } from "../runtime/json-pointer.ts";
import { elements, members, stringOf, type Member } from "../runtime/json.ts";

export type Entry =
  | { kind: "notification"; notification: Notification }
  /** An entry about another type of event. */
  | { kind: "otherType" }
  /** `detail` says what is wrong, for people; it quotes nothing of the entry. */
  | { kind: "unreadable"; detail: string };

const NOT_THERE = "no notification where PARTNER_LOG_NOTIFICATION_POINTER points to";
const OTHER_EVENT = "a notification, although it names another event";

/** How deep a notification may lie in its entry, in objects. */
const MAX_DEPTH = 3;
/** Members of an entry, or of an object around the notification, that may name the event. */
const EVENT_NAMES = new Set(["eventType", "event", "type"]);
const OUR_EVENT = "TRANSACTION_STATUS_UPDATED";
/** It may be spelled transaction.status.updated, and the like. */
const OUR_LETTERS = "transactionstatusupdated";

/** A JSON value, or the JSON text in a string. An escape can produce a lone surrogate, which UTF-8 cannot encode. */
const unwrapped = (raw: string): string =>
  raw.startsWith('"') ? String(parseJson(raw)).trim().toWellFormed() : raw;

const namesOtherEvent = (all: readonly Member[]): boolean =>
  all.some(({ key, raw }) => {
    if (!EVENT_NAMES.has(key) || !raw.startsWith('"') || raw.includes(OUR_EVENT)) return false;
    const name = stringOf(raw)
      .toLowerCase()
      .replace(/[^a-z]/g, "");
    return name !== "" && !name.includes(OUR_LETTERS);
  });

/** `isOther`: it, or an object around it, names another event. */
type Found = { notification: Notification; depth: number; isOther: boolean };

/** The notifications in an entry, as objects or as JSON in strings. */
const notificationsIn = (entry: string, itsMembers: readonly Member[]): Found[] => {
  const found: Found[] = [];
  const take = (text: string, all: readonly Member[], depth: number, isAroundOther: boolean): void => {
    const isOther = isAroundOther || namesOtherEvent(all);
    const read = all.some(({ key }) => key === "transactionId") ? readNotification(text, all) : null;
    if (read?.ok) found.push({ notification: read.notification, depth, isOther });
    for (const member of all) search(member.raw, depth + 1, isOther);
  };
  const search = (raw: string, depth: number, isAroundOther: boolean): void => {
    if (depth > MAX_DEPTH || !raw.includes("{")) return;
    const text = unwrapped(raw);
    if (text.startsWith("["))
      for (const element of elements(text) ?? [])
        // Not an array in an array: the depth of a hostile entry would be that of the call stack.
        if (!element.startsWith("[")) search(element, depth, isAroundOther);
    const all = text.startsWith("{") ? members(text) : null;
    if (all !== null) take(text, all, depth, isAroundOther);
  };
  take(entry, itsMembers, 0, false);
  return found;
};

const identityIn = (notification: Notification): string =>
  identityOf({ ...notification, occurredAt: occurredAtOf(notification.createdAt) });

const unreadable = (detail: string): Entry => ({ kind: "unreadable", detail });

/** Null where there is none. */
const search = (text: string, all: readonly Member[]): Entry | null => {
  const found = notificationsIn(text, all);
  const itself = found.find(({ depth }) => depth === 0);
  const [first = itself, ...others] = found.filter(({ depth }) => depth > 0);
  if (first === undefined) return null;
  const { notification } = first;
  const differ = others.some((other) => identityIn(other.notification) !== identityIn(notification));
  if (differ || (itself && itself.notification.transactionId !== notification.transactionId))
    return unreadable("notifications in it that differ");
  if (first.isOther) return unreadable(OTHER_EVENT);
  if (first === itself && meaningOf(notification.status).stage === "UNKNOWN")
    return unreadable("an unknown status in the entry itself, which may be that of a delivery");
  return { kind: "notification", notification };
};

/** The JSON text at a pointer, which may lead into JSON within strings. The last of two members of one name counts. */
const follow = (text: string, names: readonly string[]): string | null =>
  names.reduce<string | null>((at, name) => {
    if (at === null) return null;
    const found = at.startsWith("[")
      ? elements(at)?.find((_, index) => String(index) === name)
      : members(at)?.findLast(({ key }) => key === name)?.raw;
    return found === undefined ? null : unwrapped(found);
  }, text);

const readAt = (text: string, pointer: string): Entry | null => {
  const target = follow(text, pointerNames(pointer));
  const read = target === null ? null : readNotification(target);
  return read?.ok ? { kind: "notification", notification: read.notification } : null;
};

/**
 * Reads one entry of the log: an object, or a string that holds one. The notification is the entry or lies in it; its
 * createdAt and its payload are its own, not the entry's.
 * @param pointer JSON pointer to the notification in the entry; null: the one object that has its members
 */
export const readEntry = (raw: string, pointer: string | null): Entry => {
  const text = unwrapped(raw);
  const all = members(text);
  if (all === null) return unreadable("no JSON object");
  const found = pointer === null ? search(text, all) : readAt(text, pointer);
  if (namesOtherEvent(all)) return found === null ? { kind: "otherType" } : unreadable(OTHER_EVENT);
  return found ?? unreadable(pointer === null ? "no notification in it" : NOT_THERE);
};
