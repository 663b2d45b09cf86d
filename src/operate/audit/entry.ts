import type { Range } from "../../kafka/ranges.ts";
import type { Incoming } from "../../kafka/record.ts";
import { iso } from "../../runtime/instant.ts";
import { objectOf, parseJson, type Json } from "../../runtime/json.ts";
import { placeText, positionText } from "../../runtime/record-position.ts";
import type { Actor } from "../actor.ts";
import type { ToolServices } from "../tool-services.ts";
import { readTopic } from "../read-topic.ts";

/** What a person asks for. `subject`: a commandId, a dead letter, a flow. `parameters`: what else, as JSON. */
export type Action = {
  kind: "resolve" | "replay" | "pause" | "resume" | "reconcile";
  subject: string;
  parameters: Readonly<Record<string, unknown>>;
};

/** What came of an action. `effect` says what is durable now; places are written as topic[partition]@offset. */
export type AuditOutcome =
  | { kind: "done"; effect: Readonly<Record<string, unknown>> }
  /** Nothing was done, and why. */
  | { kind: "refused"; reason: string }
  /** Four eyes: nothing was done yet, another person must confirm it. `quoteId`: of the doubt. */
  | { kind: "proposed"; reason: string; quoteId: string | null }
  /** It is not known, or not completely, what was done. */
  | { kind: "failed"; reason: string };

/** An entry of the audit topic: an action that is about to begin (`outcome` is null), or its outcome. */
export type AuditEntry = { actionId: string; actor: Actor; action: Action; outcome: AuditOutcome | null };

/** The topic has only this one: its offsets order all actions. */
export const AUDIT_PARTITION = 0;

/** The content type of a CloudEvent in structured mode. */
export const AUDIT_CONTENT_TYPE = "application/cloudevents+json; charset=UTF-8";

/** An entry as a CloudEvent 1.0, JSON in structured mode. */
export const auditEvent = (
  { actionId, actor, action, outcome }: AuditEntry,
  { id, source, timeMs }: { id: string; source: string; timeMs: number },
): string =>
  JSON.stringify({
    specversion: "1.0",
    id,
    source,
    type: `cambio.bridge.v1.OperatorAction${outcome === null ? "Requested" : "Ended"}`,
    time: iso(timeMs),
    subject: action.subject,
    datacontenttype: "application/json",
    data: {
      actionId,
      action: action.kind,
      by: actor.by,
      note: actor.note,
      from: actor.from,
      parameters: action.parameters,
      ...(outcome && { outcome }),
    },
  });

/** An entry as read: anybody, and another version, may have written it. `outcome`: null before the action. */
type ReadEntry = {
  actionId: string;
  action: string;
  subject: string;
  by: string;
  note: string;
  from: Json;
  parameters: Json;
  outcome: Json | null;
};

export const textOrEmpty = (value: unknown): string => (typeof value === "string" ? value : "");

/** Null for a record in another form. Never throws. */
export const readAuditEntry = (value: Buffer | null): ReadEntry | null => {
  const event = objectOf(parseJson(value?.toString("utf8") ?? ""));
  const data = objectOf(event?.["data"]);
  if (event === null || data === null) return null;
  const { actionId, action, by, note, from, parameters, outcome } = data;
  if (typeof actionId !== "string" || typeof action !== "string") return null;
  return {
    actionId,
    action,
    subject: textOrEmpty(event["subject"]),
    by: textOrEmpty(by),
    note: textOrEmpty(note),
    from: objectOf(from) ?? {},
    parameters: objectOf(parameters) ?? {},
    outcome: outcome === undefined ? null : (objectOf(outcome) ?? {}),
  };
};

const MAX_TEXT = 2_000;

const short = (value: unknown): string => {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
};

const factsText = (facts: Readonly<Record<string, unknown>>): string =>
  Object.entries(facts)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${short(value)}`)
    .join(", ");

/** Its effect as `name: value, …`, or its reason; of a proposal also its REF. Null where none stands in what was read. */
const outcomeOf = ({ outcome }: ReadEntry, record: Incoming) => {
  if (outcome === null) return null;
  const { kind, effect, reason } = outcome;
  const text = factsText(objectOf(effect) ?? {}) || textOrEmpty(reason);
  return {
    kind: textOrEmpty(kind),
    text: kind === "proposed" ? `REF ${positionText(record)}: ${text}` : text,
  };
};

/** Returns no row for a record that is no audit entry. */
const rowOf = (topic: string, record: Incoming) => {
  const entry = readAuditEntry(record.value);
  if (entry === null) return [];
  const { actionId, action, subject, by, note, from, parameters } = entry;
  return [
    {
      atMs: record.timestampMs,
      place: placeText(topic, record),
      offset: record.offset,
      actionId,
      action,
      subject,
      by,
      note,
      from: ["program", "user", "host", "address"]
        .flatMap((name) => textOrEmpty(from[name]) || [])
        .join(", "),
      parameters: factsText(parameters),
      outcome: outcomeOf(entry, record),
    },
  ];
};

/** A row of the audit: an action with what came of it. */
export type AuditAction = ReturnType<typeof rowOf>[number];
/** The newest first. `next`: the offset before which the next page begins; null at the end. */
export type AuditPage = { actions: readonly AuditAction[]; next: number | null };

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
  services: ToolServices,
  { before, count }: { before: number | null; count: number },
  signal: AbortSignal,
): Promise<AuditPage> => {
  const topic = services.config.topics.audit;
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
    await readTopic(services, { topic, narrow, isWhole: true }, take, { signal });
    if (rows.length > 0 || rest.next === null) return { actions: merged(rows).reverse(), ...rest };
  }
};

/** The actions since a time, the oldest first. One that began before stands with its outcome alone. */
export const auditSince = async (
  services: ToolServices,
  sinceMs: number,
  signal: AbortSignal,
): Promise<AuditAction[]> => {
  const topic = services.config.topics.audit;
  const rows: AuditAction[] = [];
  const take = (record: Incoming): void => void rows.push(...rowOf(topic, record));
  await readTopic(services, { topic, fromMs: sinceMs }, take, { signal });
  return merged(rows);
};
