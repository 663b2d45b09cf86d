import { identityOf } from "../notification/identity.ts";
import { readNotification, type Notification } from "../notification/notification.ts";
import { meaningOf } from "../notification/statuses.ts";
import { occurredAtOf } from "../notification/occurred-at.ts";
import { pointerNames } from "../runtime/json-pointer.ts";
import { elements, members, stringOf } from "../runtime/json.ts";
import { classifyEventType, type EventTypeClass } from "./event-type.ts";
import { normalize, normalizedMembers, type NormalizedMember } from "./normalize.ts";

export type Entry =
  | { kind: "notification"; notification: Notification }
  /** An entry about another type of event. */
  | { kind: "otherType" }
  /** `detail` says what is wrong, for people; it quotes nothing of the entry. */
  | { kind: "unreadable"; detail: UnreadableDetail };

export type UnreadableDetail =
  | "no JSON object"
  | "no notification in it"
  | "more than one notification in it"
  | "no notification where PARTNER_LOG_NOTIFICATION_POINTER points to"
  | "larger than an entry may be";

/** How deep a notification may be nested in its entry, in objects. */
const MAX_DEPTH = 4;

/** A notification's fields by their normalized names. */
const FIELDS = new Map([
  ["transactionid", "transactionId"],
  ["status", "status"],
  ["transactionstatus", "status"],
  ["createdat", "createdAt"],
]);

/** Objects with these names wrap an entry or a notification: the event type may be a member of them. */
const WRAPPERS = new Set(
  "event node attributes source item record entry data payload body message content notification".split(" "),
);
/** Members with the previous state of the transaction, which are not the notification. */
const FORMER_STATE = /^(prev|old|before|former)/;

/** The field of a notification that a member or column with this name holds. */
export const fieldOf = (name: string): string | undefined => FIELDS.get(normalize(name));

/**
 * A JSON value, or the JSON text that a string holds. Replaces lone surrogates, which escapes can produce and
 * a payload must not contain.
 */
const unwrapped = (raw: string): string => (raw.startsWith('"') ? stringOf(raw).trim().toWellFormed() : raw);

/** Whether a value is an object, or a string that may hold one: then it contains escaped quotes. */
const mayBeObject = (raw: string): boolean =>
  raw.startsWith("{") || (raw.startsWith('"') && raw.includes("\\"));

/**
 * Reads an object as a notification, with the field names of the specification or variants of them
 * (transaction_id, TransactionStatus). Null when it is none, or when two names of one field hold different
 * values.
 */
const notificationIn = (text: string, all: readonly NormalizedMember[]): Notification | null => {
  const values = new Map<string, NormalizedMember>();
  for (const member of all) {
    const field = FIELDS.get(member.name);
    if (field === undefined) continue;
    const former = values.get(field);
    // The last of two members with the same name counts, as in JSON.parse.
    if (former !== undefined && former.raw !== member.raw && former.key !== member.key) return null;
    values.set(field, member);
  }
  const fields = [...values].map(([field, { raw }]) => `"${field}":${raw}`);
  const read = readNotification(`{${fields.join(",")}}`);
  return read.ok ? { ...read.notification, payload: text } : null;
};

type Findings = {
  notifications: Notification[];
  /** Whether one of them is the value of a member that wraps notifications. */
  isWrapped: boolean;
  types: EventTypeClass[];
  /** Known statuses in arrays within the entry. */
  listedStatuses: Set<string>;
};

const isKnownStatus = (status: string): boolean => meaningOf(status).stage !== "UNKNOWN";

/** Collects the known statuses of an array. Delivery attempts in an array have none of them. */
const noteStatuses = (raw: string, listed: Set<string>): void => {
  for (const element of elements(raw) ?? [])
    for (const { name, raw: value } of normalizedMembers(element) ?? [])
      if (FIELDS.get(name) === "status" && value.startsWith('"') && isKnownStatus(stringOf(value)))
        listed.add(stringOf(value));
};

/**
 * Whether an entry is skipped. With `maybe other` it is not skipped if it holds a notification with a known
 * status.
 */
const isOfOtherType = (types: readonly EventTypeClass[], notification: Notification | null): boolean => {
  if (types.includes("status")) return false;
  if (types.includes("other")) return true;
  return types.includes("maybe other") && !(notification && isKnownStatus(notification.status));
};

/** Searches the members of an object for notifications, recursively. */
const search = (all: readonly NormalizedMember[], depth: number, findings: Findings): void => {
  if (depth > MAX_DEPTH) return;
  for (const { name: within, raw } of all) {
    if (raw.startsWith("[") && !FORMER_STATE.test(within)) noteStatuses(raw, findings.listedStatuses);
    if (!mayBeObject(raw) || FORMER_STATE.test(within)) continue;
    const text = unwrapped(raw);
    const inner = normalizedMembers(text);
    if (inner === null) continue;
    const notification = notificationIn(text, inner);
    if (notification !== null) {
      findings.notifications.push(notification);
      findings.isWrapped ||= WRAPPERS.has(within);
    }
    if (notification !== null || WRAPPERS.has(within)) findings.types.push(classifyEventType(inner, within));
    search(inner, depth + 1, findings);
  }
};

const identityIn = (notification: Notification): string =>
  identityOf({ ...notification, occurredAt: occurredAtOf(notification.createdAt) });

/** The notification that all the found ones repeat, with or without createdAt; null when they differ. */
const singleNotification = (found: readonly Notification[]): Notification | null => {
  const [first, ...others] = found;
  if (first === undefined || others.length === 0) return first ?? null;
  const chosen = found.find(({ createdAt }) => createdAt !== "") ?? first;
  const isSame = (other: Notification): boolean =>
    identityIn(other.createdAt === "" ? { ...other, createdAt: chosen.createdAt } : other) ===
    identityIn(chosen);
  return found.every(isSame) ? chosen : null;
};

/**
 * The one of the two that is the notification; null when that is not known. A nested one of the same
 * transaction takes precedence where its status is the same, because the entry's own createdAt may be the sending
 * time, and where it is wrapped as notifications are, because the entry's own status may be that of the delivery, or
 * the transaction's status of today.
 */
const chooseBetween = (
  itself: Notification,
  nested: Notification,
  isWrapped: boolean,
): Notification | null => {
  const isOfSame = itself.transactionId === nested.transactionId;
  if (isOfSame && (isWrapped || itself.status === nested.status)) return nested;
  const isNestedKnown = isKnownStatus(nested.status);
  // The other status may be that of the delivery.
  if (isKnownStatus(itself.status) !== isNestedKnown) return isNestedKnown ? nested : itself;
  return null;
};

const find = (text: string, all: readonly NormalizedMember[]): Entry => {
  const types = [classifyEventType(all, "")];
  const findings: Findings = { notifications: [], isWrapped: false, types, listedStatuses: new Set() };
  search(all, 1, findings);
  const itself = notificationIn(text, all);
  const nested = singleNotification(findings.notifications);
  const hasNested = findings.notifications.length > 0;
  const both =
    itself !== null && nested !== null ? chooseBetween(itself, nested, findings.isWrapped) : nested;
  const notification = hasNested ? both : itself;
  if (isOfOtherType(findings.types, notification)) return { kind: "otherType" };
  const listsOthers = [...findings.listedStatuses].some((status) => status !== notification?.status);
  if (notification !== null && !listsOthers) return { kind: "notification", notification };
  const hasSeveral = listsOthers || hasNested;
  const detail = hasSeveral ? "more than one notification in it" : "no notification in it";
  return { kind: "unreadable", detail };
};

/**
 * The JSON text at a pointer, which may lead into JSON within strings. The last of two members with the same
 * name counts.
 */
const follow = (text: string, names: readonly string[]): string | null =>
  names.reduce<string | null>((at, name) => {
    if (at === null) return null;
    const found = at.startsWith("[")
      ? elements(at)?.find((_, index) => String(index) === name)
      : members(at)?.findLast(({ key }) => key === name)?.raw;
    return found === undefined ? null : unwrapped(found);
  }, text);

/**
 * Reads one entry of the log: an object, or a string that holds one. The notification is the entry itself, or
 * is nested in it as an object or as JSON in a string; its createdAt and its payload are its own, not the
 * entry's.
 * @param pointer JSON pointer to the notification in the entry; null: found by heuristics
 */
export const readEntry = (raw: string, pointer: string | null): Entry => {
  const text = unwrapped(raw.trim());
  const all = normalizedMembers(text);
  if (all === null) return { kind: "unreadable", detail: "no JSON object" };
  if (pointer === null) return find(text, all);
  const target = follow(text, pointerNames(pointer));
  const inner = target === null ? null : normalizedMembers(target);
  const notification = target === null || inner === null ? null : notificationIn(target, inner);
  const types = [classifyEventType(all, ""), inner === null ? null : classifyEventType(inner, "")];
  if (isOfOtherType(types, notification)) return { kind: "otherType" };
  if (notification !== null) return { kind: "notification", notification };
  return {
    kind: "unreadable",
    detail: "no notification where PARTNER_LOG_NOTIFICATION_POINTER points to",
  };
};
