import { messageOf } from "../runtime/errors.ts";
import { readInstant } from "../runtime/instant.ts";

/** The flows that can be paused. Webhooks cannot: what the partner sends and nobody takes is lost after five attempts. */
export const PAUSABLE = ["commands", "reconcile"] as const;
export type Pausable = (typeof PAUSABLE)[number];

/** What somebody said last of a flow. A resume is a word as well, so that it stays known whose. */
export type Word = {
  flow: Pausable;
  says: "pause" | "resume";
  by: string;
  note: string;
  atMs: number;
  /** When a pause ends by itself; null: when somebody says so. */
  untilMs: number | null;
  /** The action in the audit topic. */
  actionId: string;
};

export type Words = ReadonlyMap<Pausable, Word>;

/** The form of what stands in the control topic. A later form has another number. */
const VERSION = 1;

export const isPausable = (name: string | null): name is Pausable =>
  (PAUSABLE as readonly (string | null)[]).includes(name);

/** Whether this word keeps its flow from beginning anything now. */
export const isPause = (word: Word | undefined, nowMs: number): word is Word =>
  word?.says === "pause" && (word.untilMs === null || nowMs < word.untilMs);

const isoOf = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** A word as a record of the control topic: its key is the flow's name. */
export const writeWord = ({ flow, says, by, note, atMs, untilMs, actionId }: Word) => ({
  key: flow,
  value: JSON.stringify({
    version: VERSION,
    says,
    by,
    note,
    at: isoOf(atMs),
    until: isoOf(untilMs),
    actionId,
  }),
});

/** What a record of the control topic says. `deleted`: nobody has said anything of the flow, as for whoever reads the topic after it was compacted. */
export type Read =
  { kind: "word"; word: Word } | { kind: "deleted"; flow: Pausable } | { kind: "unreadable"; detail: string };

const unreadable = (detail: string): Read => ({ kind: "unreadable", detail });

const parsed = (text: string): Record<string, unknown> => {
  try {
    // Of null, the one value without fields, there are none.
    return (JSON.parse(text) ?? {}) as Record<string, unknown>;
  } catch {
    // What is wrong with it would be told with a piece of it, which may be anything.
    throw new Error("it is no JSON");
  }
};

const textIn = (fields: Record<string, unknown>, name: string): string => {
  const value = fields[name];
  if (typeof value !== "string") throw new Error(`"${name}" is no text`);
  return value;
};

const instantIn = (fields: Record<string, unknown>, name: string): number => {
  const ms = readInstant(textIn(fields, name));
  if (ms === null) throw new Error(`"${name}" is no instant`);
  return ms;
};

/** Never throws: anybody may have written it, a later version too. */
export const readWord = (key: string | null, value: string | null): Read => {
  if (!isPausable(key)) return unreadable("its key names no flow that can be paused");
  if (value === null) return { kind: "deleted", flow: key };
  try {
    const fields = parsed(value);
    if (fields["version"] !== VERSION) return unreadable(`its version is not ${VERSION}`);
    const { says, until } = fields;
    if (says !== "pause" && says !== "resume") return unreadable('"says" is neither pause nor resume');
    const word: Word = {
      flow: key,
      says,
      by: textIn(fields, "by"),
      note: textIn(fields, "note"),
      atMs: instantIn(fields, "at"),
      untilMs: until === null ? null : instantIn(fields, "until"),
      actionId: textIn(fields, "actionId"),
    };
    return { kind: "word", word };
  } catch (error) {
    return unreadable(messageOf(error));
  }
};
