import { messageOf } from "../../runtime/errors.ts";
import { iso, isoOrNull, readInstant } from "../../runtime/instant.ts";
import { objectOf, parseJson, type Json } from "../../runtime/json-object.ts";

/**
 * What can be paused: the flow of commands, only the accepts in it, and the flow reconcile. Webhooks cannot: the
 * partner gives a notification up after five attempts.
 */
export const PAUSABLE = ["commands", "accepts", "reconcile"] as const;
export type Pausable = (typeof PAUSABLE)[number];

/** An entry of the control topic: the last pause or resume of a flow, by whom and why. */
export type ControlEntry = {
  flow: Pausable;
  says: "pause" | "resume";
  by: string;
  note: string;
  atMs: number;
  /** When a pause ends by itself; null: only by a resume. */
  untilMs: number | null;
  /** The action in the audit topic. */
  actionId: string;
};

export type ControlEntries = ReadonlyMap<Pausable, ControlEntry>;

/** Of the entry's JSON. */
const VERSION = 1;

export const isPausable = (name: string | null): name is Pausable =>
  (PAUSABLE as readonly (string | null)[]).includes(name);

/** Whether the entry is a pause that is in force. */
export const isPause = (entry: ControlEntry | undefined, nowMs: number): entry is ControlEntry =>
  entry?.says === "pause" && (entry.untilMs === null || nowMs < entry.untilMs);

/** The record of an entry. Its key is the flow's name: the topic is compacted. */
export const writeControlEntry = ({ flow, says, by, note, atMs, untilMs, actionId }: ControlEntry) => ({
  key: flow,
  value: JSON.stringify({
    version: VERSION,
    says,
    by,
    note,
    at: iso(atMs),
    until: isoOrNull(untilMs),
    actionId,
  }),
});

/** What a record of the control topic says. `deleted`: a tombstone, the flow has no entry any more. */
export type ReadResult =
  | { kind: "entry"; entry: ControlEntry }
  | { kind: "deleted"; flow: Pausable }
  | { kind: "unreadable"; detail: string };

const unreadable = (detail: string): ReadResult => ({ kind: "unreadable", detail });

const textIn = (fields: Json, name: string): string => {
  const value = fields[name];
  if (typeof value !== "string") throw new Error(`"${name}" is no text`);
  return value;
};

const instantIn = (fields: Json, name: string): number => {
  const ms = readInstant(textIn(fields, name));
  if (ms === null) throw new Error(`"${name}" is no instant`);
  return ms;
};

/** Never throws: anybody, and a later version, may have written the record. */
export const readControlEntry = (key: string | null, value: string | null): ReadResult => {
  if (!isPausable(key)) return unreadable("its key names no flow that can be paused");
  if (value === null) return { kind: "deleted", flow: key };
  try {
    const fields = objectOf(parseJson(value));
    if (fields === null) return unreadable("it is no JSON object");
    if (fields["version"] !== VERSION) return unreadable(`its version is not ${VERSION}`);
    const { says, until } = fields;
    if (says !== "pause" && says !== "resume") return unreadable('"says" is neither pause nor resume');
    const entry: ControlEntry = {
      flow: key,
      says,
      by: textIn(fields, "by"),
      note: textIn(fields, "note"),
      atMs: instantIn(fields, "at"),
      untilMs: until === null ? null : instantIn(fields, "until"),
      actionId: textIn(fields, "actionId"),
    };
    return { kind: "entry", entry };
  } catch (error) {
    return unreadable(messageOf(error));
  }
};
