import type { Range } from "../../kafka/consume/read-log.ts";
import type { Incoming } from "../../kafka/record.ts";
import { objectOf } from "../../runtime/json-object.ts";
import { placeText } from "../../runtime/record-position.ts";
import type { Connections } from "../connections.ts";
import { readTopic } from "../read-topic.ts";
import { readEntry, textIn, type ReadEntry } from "./entry.ts";

/** A row of the audit: an action with what came of it. */
export type AuditAction = {
  atMs: number;
  place: string;
  actionId: string;
  action: string;
  subject: string;
  by: string;
  note: string;
  from: string;
  parameters: readonly (readonly [name: string, value: string])[];
  /** Null where none stands in what was read: it goes on, or its process ended first. */
  outcome: { kind: string; /** Its effect as `name: value, …`, or its reason. */ text: string } | null;
};

/** The newest first. `next`: the offset before which the next page begins; null at the end. */
export type AuditPage = { actions: readonly AuditAction[]; next: number | null };

const MAX_TEXT = 2_000;

const short = (value: unknown): string => {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
};

const outcomeOf = ({ outcome }: ReadEntry): AuditAction["outcome"] => {
  if (outcome === null) return null;
  const { kind, effect, reason } = outcome;
  const facts = Object.entries(objectOf(effect) ?? {}).filter(([, value]) => value !== null);
  const text = facts.map(([name, value]) => `${name}: ${short(value)}`).join(", ");
  return { kind: textIn(kind), text: text || short(reason ?? effect ?? "") };
};

const UNREADABLE: ReadEntry = {
  ...{ actionId: "", action: "(cannot be read)", subject: "", by: "", note: "" },
  ...{ from: {}, parameters: {}, outcome: null },
};

const rowOf = (topic: string, record: Incoming): AuditAction => {
  const unreadable = { ...UNREADABLE, parameters: { record: record.value?.toString("utf8") ?? "" } };
  const entry = readEntry(record.value) ?? unreadable;
  const { actionId, action, subject, by, note, from, parameters } = entry;
  return {
    atMs: record.timestampMs,
    place: placeText(topic, record),
    actionId,
    action,
    subject,
    by,
    note,
    from: ["program", "user", "host", "address"].flatMap((name) => textIn(from[name]) || []).join(", "),
    parameters: Object.entries(parameters).map(([name, value]) => [name, short(value)] as const),
    outcome: outcomeOf(entry),
  };
};

/** Both entries of an action as one row, at the place of the first. */
const merged = (rows: readonly AuditAction[]): AuditAction[] => {
  const byAction = new Map<string, AuditAction>();
  for (const row of rows) {
    const first = byAction.get(row.actionId);
    if (first && row.actionId !== "") byAction.set(row.actionId, { ...first, outcome: row.outcome });
    else byAction.set(row.actionId === "" ? row.place : row.actionId, row);
  }
  return [...byAction.values()];
};

/** A page of actions, the newest first. An action whose entries stand on two pages is on both. */
export const readAudit = async (
  connections: Connections,
  { before, count }: { before: number | null; count: number },
  signal: AbortSignal,
): Promise<AuditPage> => {
  const topic = connections.config.topics.audit;
  // Offsets may hold no records, such as markers of transactions: an empty page is read again, larger.
  for (let size = 2 * count; ; size *= 2) {
    const rows: AuditAction[] = [];
    const rest = { next: null as number | null };
    const narrow = ({ startOffset, endOffset }: Range): Range => {
      const end = Math.max(startOffset, Math.min(before ?? endOffset, endOffset));
      const start = Math.max(startOffset, end - size);
      rest.next = start > startOffset ? start : null;
      return { startOffset: start, endOffset: end };
    };
    const take = (record: Incoming): void => void rows.push(rowOf(topic, record));
    await readTopic(connections, { topic, narrow }, take, { signal });
    if (rows.length > 0 || rest.next === null) return { actions: merged(rows).reverse(), ...rest };
  }
};
