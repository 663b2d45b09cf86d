import { explainOutage } from "../../services/outage.ts";
import { noSuchTopic, withCluster } from "../../services/with-cluster.ts";
import type { Range } from "../../kafka/consume/read-log.ts";
import { scan } from "../../kafka/consume/scan.ts";
import type { Incoming } from "../../kafka/record.ts";
import { placeText } from "../../runtime/record-position.ts";
import type { Connections } from "../connections.ts";
import { AUDIT_PARTITION, readEntry, textIn, type ReadEntry } from "./entry.ts";

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
  outcome: { kind: string; text: string } | null;
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
  return { kind: textIn(kind), text: short(effect ?? reason ?? "") };
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

/** The offsets of the audit topic, those written since a time only. Throws a UsageError where it does not exist. */
export const auditRange = ({ config, services }: Connections, sinceMs?: number): Promise<Range> => {
  const topic = config.topics.audit;
  return withCluster(services, async (cluster) => {
    if (!(await cluster.find([topic])).has(topic)) throw noSuchTopic(topic);
    return (await cluster.ranges(topic, sinceMs)).get(AUDIT_PARTITION) ?? { startOffset: 0, endOffset: 0 };
  });
};

/** Reads these records of the audit topic once, in order. */
export const scanAudit = (
  { config, services }: Connections,
  range: Range,
  take: (record: Incoming) => void,
  signal: AbortSignal,
): Promise<void> =>
  scan({ topic: config.topics.audit, ranges: new Map([[AUDIT_PARTITION, range]]) }, take, services, signal);

/** A page of actions, the newest first. An action whose entries stand on two pages is on both. */
export const readAudit = (
  connections: Connections,
  { before, count }: { before: number | null; count: number },
  signal: AbortSignal,
): Promise<AuditPage> => {
  const read = async (): Promise<AuditPage> => {
    const { startOffset, endOffset } = await auditRange(connections);
    let end = Math.max(startOffset, Math.min(before ?? endOffset, endOffset));
    // Offsets may hold no records, such as markers of transactions: an empty page is read again, larger.
    for (let size = 2 * count; end > startOffset; size *= 2) {
      const from = Math.max(startOffset, end - size);
      const rows: AuditAction[] = [];
      const topic = connections.config.topics.audit;
      await scanAudit(
        connections,
        { startOffset: from, endOffset: end },
        (record) => void rows.push(rowOf(topic, record)),
        signal,
      );
      end = from;
      if (rows.length > 0) return { actions: merged(rows).reverse(), next: end > startOffset ? end : null };
    }
    return { actions: [], next: null };
  };
  return explainOutage(connections.config, read(), signal);
};
