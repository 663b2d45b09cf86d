import { stringOf } from "../runtime/json.ts";
import { normalize, type NormalizedMember } from "./normalize.ts";

/**
 * Members that hold the event type. `type` counts only within an object called `event`: elsewhere it may be
 * the type of anything.
 */
const TYPE_NAMES = new Set(["eventtype", "eventname", "eventkind", "eventcode"]);
const TYPE_NAMES_WITHIN_EVENT = new Set(["type", "kind"]);
/** Members that hold the event type, or the state of the delivery. */
const VAGUE_NAMES = new Set(["event"]);
const VAGUE_NAMES_WITHIN_EVENT = new Set(["name", "code"]);

/** TRANSACTION_STATUS_UPDATED, and other names for it. */
const STATUS_UPDATE = /transactions?(status|updat|chang)|^(status|updat)/;
/** Values that name the state of a delivery, not a type of event. */
const DELIVERY_STATE =
  /deliver|sent|send|attempt|webhook|notif|callback|retry|^(success|fail|post$|log$|request$|response$)/;

/**
 * `maybe other`: the entry still counts as a status update when it holds a notification with a known status.
 * Null: it names no type.
 */
export type EventTypeClass = "status" | "other" | "maybe other" | null;

const isTypeName = (name: string, within: string): boolean =>
  TYPE_NAMES.has(name) || (within === "event" && TYPE_NAMES_WITHIN_EVENT.has(name));
const isVagueName = (name: string, within: string): boolean =>
  VAGUE_NAMES.has(name) || (within === "event" && VAGUE_NAMES_WITHIN_EVENT.has(name));

/**
 * Reads the event type from an object's members. `other` only when it is certain and nothing contradicts it:
 * skipping an entry by mistake loses an event.
 * @param within the member name of the object, or "" for the entry itself
 */
export const classifyEventType = (all: readonly NormalizedMember[], within: string): EventTypeClass => {
  let found: EventTypeClass = null;
  for (const { name, raw } of all) {
    const isVague = isVagueName(name, within);
    if (!(isVague || isTypeName(name, within)) || !raw.startsWith('"')) continue;
    const value = normalize(stringOf(raw));
    if (STATUS_UPDATE.test(value)) return "status";
    if (value !== "" && !DELIVERY_STATE.test(value) && !/^\d+$/.test(value))
      found = isVague ? (found ?? "maybe other") : "other";
  }
  return found;
};
