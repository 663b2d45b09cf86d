import { iso, isoOrNull, readInstant } from "../../runtime/instant.ts";
import { objectOf, parseJson } from "../../runtime/json.ts";

/** Webhooks cannot be paused: the partner gives a notification up after five attempts. */
export const PAUSABLE = ["commands", "accepts", "reconcile"] as const;
export type Pausable = (typeof PAUSABLE)[number];

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

const VERSION = 1;

const isPausable = (name: string | null): name is Pausable =>
  (PAUSABLE as readonly (string | null)[]).includes(name);

export const isPause = (entry: ControlEntry | undefined, nowMs: number): entry is ControlEntry =>
  entry?.says === "pause" && (entry.untilMs === null || nowMs < entry.untilMs);

/** The key is the flow's name, because the topic is compacted. */
export const writeControlEntry = ({ flow, says, by, note, atMs, untilMs, actionId }: ControlEntry) => {
  const times = { at: iso(atMs), until: isoOrNull(untilMs) };
  return { key: flow, value: JSON.stringify({ version: VERSION, says, by, note, ...times, actionId }) };
};

/** Returns null for a value that is no entry of this version. */
const readEntry = (flow: Pausable, value: Buffer): ControlEntry | null => {
  const { version, says, by, note, at, until, actionId } = objectOf(parseJson(value.toString())) ?? {};
  const atMs = typeof at === "string" ? readInstant(at) : null;
  const untilMs = typeof until === "string" ? readInstant(until) : null;
  if (version !== VERSION || (says !== "pause" && says !== "resume")) return null;
  if (atMs === null || (until !== null && untilMs === null)) return null;
  if (typeof by !== "string" || typeof note !== "string" || typeof actionId !== "string") return null;
  return { flow, says, by, note, atMs, untilMs, actionId };
};

export type ControlRecord = { key: Buffer | null; value: Buffer | null };

/** A tombstone deletes the flow's entry. Returns false for a record that cannot be read, which changes nothing. */
export const applyControlRecord = (entries: Map<Pausable, ControlEntry>, { key, value }: ControlRecord) => {
  const flow = key?.toString() ?? null;
  if (!isPausable(flow)) return false;
  const entry = value && readEntry(flow, value);
  if (entry) entries.set(flow, entry);
  else if (value === null) entries.delete(flow);
  return value === null || entry !== null;
};
