import type { Incoming } from "../../kafka/record.ts";
import { iso } from "../../runtime/instant.ts";
import { objectOf, parseJson, type Json } from "../../runtime/json.ts";
import { placeText, positionText } from "../../runtime/record-position.ts";
import type { Actor } from "../actor.ts";
import type { Tools } from "../tools.ts";
import { collect } from "../read-topic.ts";

export type Action = {
  kind: "resolve" | "replay" | "pause" | "resume" | "reconcile";
  subject: string;
  parameters: Json;
};

/** What came of an action. `effect` says what is durable now; places are written as topic[partition]@offset. */
export type AuditOutcome =
  | { kind: "done"; effect: Json }
  | { kind: "refused"; reason: string }
  /** Four eyes: nothing was done yet, another person must confirm it. `quoteId`: of the doubt. */
  | { kind: "proposed"; reason: string; quoteId: string }
  | { kind: "failed"; reason: string };

/** An entry of the audit topic: an action that is about to begin (`outcome` is null), or its outcome. */
export type AuditEntry = { actionId: string; actor: Actor; action: Action; outcome: AuditOutcome | null };

/** The topic has only this one: its offsets order all actions. */
export const AUDIT_PARTITION = 0;
/** This machine's clock may differ from Kafka's by so much. */
const SKEW_MS = 3_600_000;

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

export const textOrEmpty = (value: unknown): string => (typeof value === "string" ? value : "");

/** Returns null for a record in another form: anybody, and another version, may have written it. */
export const readAuditEntry = ({ value }: Incoming) => {
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

/** The entries since a time by this machine's clock, and some before it. */
export const auditReading = ({ config }: Tools, sinceMs: number) => ({
  topic: config.topics.audit,
  fromMs: sinceMs - SKEW_MS,
  isWhole: true,
});

const MAX_TEXT = 2_000;

const short = (value: unknown): string => {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
};

const factsText = (facts: Json): string =>
  Object.entries(facts)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${short(value)}`)
    .join(", ");

/** Its effect as `name: value, …`, or its reason; of a proposal also its REF. */
const outcomeOf = ({ kind, effect, reason }: Json, record: Incoming) => {
  const text = factsText(objectOf(effect) ?? {}) || textOrEmpty(reason);
  return {
    kind: textOrEmpty(kind),
    text: kind === "proposed" ? `REF ${positionText(record)}: ${text}` : text,
  };
};

const rowOf = (record: Incoming) => {
  const entry = readAuditEntry(record);
  return (
    entry && {
      ...entry,
      atMs: record.timestampMs,
      place: placeText(record.topic, record),
      from: ["program", "user", "host", "address"]
        .flatMap((name) => textOrEmpty(entry.from[name]) || [])
        .join(", "),
      parameters: factsText(entry.parameters),
      outcome: entry.outcome && outcomeOf(entry.outcome, record),
    }
  );
};

/** An action with what came of it; `outcome` is null while it has none. */
export type AuditAction = NonNullable<ReturnType<typeof rowOf>>;

/** The actions since a time, the oldest first: both entries of one are one row, at the place of the first. */
export const readAudit = async (tools: Tools, sinceMs: number): Promise<AuditAction[]> => {
  const byAction = new Map<string, AuditAction>();
  for (const row of await collect(tools, auditReading(tools, sinceMs), rowOf)) {
    const first = byAction.get(row.actionId);
    byAction.set(row.actionId, first ? { ...first, outcome: row.outcome } : row);
  }
  return [...byAction.values()].filter(({ atMs }) => atMs >= sinceMs);
};
