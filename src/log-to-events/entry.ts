import { identityOf } from "../notification/identity.ts";
import { readNotification, type Notification } from "../notification/notification.ts";
import { meaningOf } from "../notification/statuses.ts";
import { occurredAtOf } from "../notification/occurred-at.ts";
import { pointerNames } from "../runtime/json-pointer.ts";
import { elements, members, stringOf } from "../runtime/json.ts";
import { typeSaid, type TypeSaid } from "./event-type.ts";
import { namedMembers, type NamedMember } from "./named.ts";

export type Entry =
  | { kind: "notification"; notification: Notification }
  /** It says that it is about another type of event. */
  | { kind: "otherType" }
  /** `detail` says what is wrong, for people; it repeats nothing of the entry. */
  | { kind: "unreadable"; detail: UnreadableDetail };

export type UnreadableDetail =
  | "no JSON object"
  | "no notification in it"
  | "more than one notification in it"
  | "no notification where PARTNER_LOG_NOTIFICATION_POINTER points to"
  | "larger than an entry may be";

/** How many objects deep a notification may lie in its entry. */
const MAX_DEPTH = 4;

/** The names of a notification's fields, however they are spelled. */
const FIELDS = new Map([
  ["transactionid", "transactionId"],
  ["status", "status"],
  ["transactionstatus", "status"],
  ["createdat", "createdAt"],
]);

/** Objects under these names are what an answer wraps entries and notifications in: what they say of the type counts. */
const WRAPPERS = new Set(
  "event node attributes source item record entry data payload body message content notification".split(" "),
);
/** What was before is not what is told. */
const OF_BEFORE = /^(prev|old|before|former)/;

const wellFormed = (text: string): string => Buffer.from(text, "utf8").toString("utf8");

/** The JSON that a value is, or that a string holds. Escapes can bring in lone surrogates, which no payload may have. */
const unwrapped = (raw: string): string => {
  if (!raw.startsWith('"')) return raw;
  const text = stringOf(raw).trim();
  return /\\u[dD]/.test(raw) ? wellFormed(text) : text;
};

/** Whether a value is an object, or a string that may hold one: its quotes are escaped there. */
const mayBeObject = (raw: string): boolean =>
  raw.startsWith("{") || (raw.startsWith('"') && raw.includes("\\"));

/**
 * The notification that an object is, under the names of the specification or under others for them (transaction_id, TransactionStatus). Null when it
 * is none, or when two names for one field say different things.
 */
const notificationIn = (text: string, all: readonly NamedMember[]): Notification | null => {
  const values = new Map<string, NamedMember>();
  for (const member of all) {
    const field = FIELDS.get(member.name);
    if (field === undefined) continue;
    const former = values.get(field);
    // Of a name that occurs twice the last one counts, as in JSON.parse.
    if (former !== undefined && former.raw !== member.raw && former.key !== member.key) return null;
    values.set(field, member);
  }
  const fields = [...values].map(([field, { raw }]) => `"${field}":${raw}`);
  const read = readNotification(`{${fields.join(",")}}`);
  return read.ok ? { ...read.notification, payload: text } : null;
};

type Finds = {
  notifications: Notification[];
  types: TypeSaid[];
  /** Transaction statuses in lists within the entry. */
  listed: Set<string>;
};

const isKnownStatus = (status: string): boolean => meaningOf(status).stage !== "UNKNOWN";

/** An entry may list the statuses of its transaction. (What became of attempts to send it are none of these.) */
const noteList = (raw: string, listed: Set<string>): void => {
  for (const element of elements(raw) ?? [])
    for (const { name, raw: value } of namedMembers(element) ?? [])
      if (FIELDS.get(name) === "status" && value.startsWith('"') && isKnownStatus(stringOf(value)))
        listed.add(stringOf(value));
};

/** Whether an entry is passed over. One that says so only vaguely, and holds a notification of a known status, is not. */
const isOfOtherType = (types: readonly TypeSaid[], notification: Notification | null): boolean => {
  if (types.includes("status")) return false;
  if (types.includes("other")) return true;
  return types.includes("maybe other") && !(notification && isKnownStatus(notification.status));
};

/** Looks for notifications in the members of an object. */
const search = (all: readonly NamedMember[], depth: number, finds: Finds): void => {
  if (depth > MAX_DEPTH) return;
  for (const { name: within, raw } of all) {
    if (raw.startsWith("[") && !OF_BEFORE.test(within)) noteList(raw, finds.listed);
    if (!mayBeObject(raw) || OF_BEFORE.test(within)) continue;
    const text = unwrapped(raw);
    const inner = namedMembers(text);
    if (inner === null) continue;
    const notification = notificationIn(text, inner);
    if (notification !== null) finds.notifications.push(notification);
    if (notification !== null || WRAPPERS.has(within)) finds.types.push(typeSaid(inner, within));
    search(inner, depth + 1, finds);
  }
};

const identityIn = (notification: Notification): string =>
  identityOf({ ...notification, occurredAt: occurredAtOf(notification.createdAt) });

/** The one notification that all of them are; the same without its createdAt is no other one. */
const theOne = (found: readonly Notification[]): Notification | null => {
  const [first, ...others] = found;
  if (first === undefined || others.length === 0) return first ?? null;
  const chosen = found.find(({ createdAt }) => createdAt !== "") ?? first;
  const isSame = (other: Notification): boolean =>
    identityIn(other.createdAt === "" ? { ...other, createdAt: chosen.createdAt } : other) ===
    identityIn(chosen);
  return found.every(isSame) ? chosen : null;
};

const find = (text: string, all: readonly NamedMember[]): Entry => {
  const finds: Finds = { notifications: [], types: [typeSaid(all, "")], listed: new Set() };
  search(all, 1, finds);
  // The entry's own createdAt may be the time of sending: where a notification lies in it, that one counts alone.
  const itself = finds.notifications.length === 0 ? notificationIn(text, all) : null;
  const notification = itself ?? theOne(finds.notifications);
  if (isOfOtherType(finds.types, notification)) return { kind: "otherType" };
  const lists = [...finds.listed].some((status) => status !== notification?.status);
  if (notification !== null && !lists) return { kind: "notification", notification };
  const detail =
    lists || finds.notifications.length > 0 ? "more than one notification in it" : "no notification in it";
  return { kind: "unreadable", detail };
};

/** Follows a pointer, into JSON that strings hold as well. Of a name that occurs twice the last one counts. */
const follow = (text: string, names: readonly string[]): string | null =>
  names.reduce<string | null>((at, name) => {
    if (at === null) return null;
    const found = at.startsWith("[")
      ? elements(at)?.find((_, index) => String(index) === name)
      : members(at)?.findLast(({ key }) => key === name)?.raw;
    return found === undefined ? null : unwrapped(found);
  }, text);

/**
 * Reads one entry of the log: an object, or a string that holds one. Its notification may be the entry itself or lie in it, as an object or as JSON in a
 * string; it counts with its own createdAt and its own bytes.
 * @param pointer where the notification lies in the entry; null: it is looked for
 */
export const readEntry = (raw: string, pointer: string | null): Entry => {
  const text = unwrapped(raw.trim());
  const all = namedMembers(text);
  if (all === null) return { kind: "unreadable", detail: "no JSON object" };
  if (pointer === null) return find(text, all);
  const target = follow(text, pointerNames(pointer));
  const inner = target === null ? null : namedMembers(target);
  const notification = target === null || inner === null ? null : notificationIn(target, inner);
  const types = [typeSaid(all, ""), inner === null ? null : typeSaid(inner, "")];
  if (isOfOtherType(types, notification)) return { kind: "otherType" };
  if (notification !== null) return { kind: "notification", notification };
  return {
    kind: "unreadable",
    detail: "no notification where PARTNER_LOG_NOTIFICATION_POINTER points to",
  };
};
