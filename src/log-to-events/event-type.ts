import { stringOf } from "../runtime/json.ts";
import { normalized, type NamedMember } from "./named.ts";

/** Members whose value is the type of the event. `type` alone is not among them: it may be the type of anything. */
const TYPE_NAMES = new Set(["eventtype", "eventname", "eventkind", "eventcode"]);
const TYPE_NAMES_WITHIN_EVENT = new Set(["type", "kind"]);
/** These may as well say what became of the sending. */
const VAGUE_NAMES = new Set(["event"]);
const VAGUE_NAMES_WITHIN_EVENT = new Set(["name", "code"]);

/** TRANSACTION_STATUS_UPDATED, and other words for it. */
const OF_STATUS = /transactions?(status|updat|chang)|^(status|updat)/;
/** Of sending a notification: such a value tells what became of the entry, not of which type the event is. */
const OF_SENDING =
  /deliver|sent|send|attempt|webhook|notif|callback|retry|^(success|fail|post$|log$|request$|response$)/;

/** `maybe other`: an entry with a notification of a known status is none the less one of ours. */
export type TypeSaid = "status" | "other" | "maybe other" | null;

const isTypeName = (name: string, within: string): boolean =>
  TYPE_NAMES.has(name) || (within === "event" && TYPE_NAMES_WITHIN_EVENT.has(name));
const isVagueName = (name: string, within: string): boolean =>
  VAGUE_NAMES.has(name) || (within === "event" && VAGUE_NAMES_WITHIN_EVENT.has(name));

/**
 * Which type of event the members of an object say. "other" only where it is said beyond doubt and nowhere contradicted: an entry that is passed
 * over by mistake is an event lost.
 * @param within the name under which the object stands in another one
 */
export const typeSaid = (all: readonly NamedMember[], within: string): TypeSaid => {
  let said: TypeSaid = null;
  for (const { name, raw } of all) {
    const isVague = isVagueName(name, within);
    if (!(isVague || isTypeName(name, within)) || !raw.startsWith('"')) continue;
    const value = normalized(stringOf(raw));
    if (OF_STATUS.test(value)) return "status";
    if (value !== "" && !OF_SENDING.test(value) && !/^\d+$/.test(value))
      said = isVague ? (said ?? "maybe other") : "other";
  }
  return said;
};
