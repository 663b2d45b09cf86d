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
  parameters: string;
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

const listed = (facts: Readonly<Record<string, unknown>>): string =>
  Object.entries(facts)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${short(value)}`)
    .join(", ");

const outcomeOf = ({ outcome }: ReadEntry): AuditAction["outcome"] => {
  if (outcome === null) return null;
  const { kind, effect, reason } = outcome;
  return { kind: textIn(kind), text: listed(objectOf(effect) ?? {}) || textIn(reason) };
};

/** Nothing for a record in another form. */
const rowOf = (topic: string, record: Incoming): AuditAction[] => {
  const entry = readEntry(record.value);
  if (entry === null) return [];
  const { actionId, action, subject, by, note, from, parameters } = entry;
  return [
    {
      ...{ atMs: record.timestampMs, place: placeText(topic, record), actionId, action, subject, by, note },
      from: ["program", "user", "host", "address"].flatMap((name) => textIn(from[name]) || []).join(", "),
      parameters: listed(parameters),
      outcome: outcomeOf(entry),
    },
  ];
};

/** Both entries of an action as one row, at the place of the first. */
const merged = (rows: readonly AuditAction[]): AuditAction[] => {
  const byAction = new Map<string, AuditAction>();
  for (const row of rows) {
    const first = byAction.get(row.actionId);
    byAction.set(row.actionId, first ? { ...first, outcome: row.outcome } : row);
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
    const take = (record: Incoming): void => void rows.push(...rowOf(topic, record));
    await readTopic(connections, { topic, narrow }, take, { signal });
    if (rows.length > 0 || rest.next === null) return { actions: merged(rows).reverse(), ...rest };
  }
};
