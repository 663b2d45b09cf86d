import { iso } from "../../runtime/instant.ts";
import { objectOf, parseJson, type Json } from "../../runtime/json-object.ts";
import type { Actor } from "../actor.ts";

/** What a person asks for. `subject`: a commandId, a dead letter, a flow. `parameters`: what else, as JSON. */
export type Action = {
  kind: "resolve" | "replay" | "pause" | "resume" | "reconcile";
  subject: string;
  parameters: Readonly<Record<string, unknown>>;
};

/** What came of an action. `effect` says what is durable now; places are written as topic[partition]@offset. */
export type Outcome =
  | { kind: "done"; effect: Readonly<Record<string, unknown>> }
  /** Nothing was done, and why. */
  | { kind: "refused"; reason: string }
  /** Four eyes: nothing was done yet, another person must confirm it. `quoteId`: of the doubt. */
  | { kind: "proposed"; reason: string; quoteId: string | null }
  /** It is not known, or not completely, what was done. */
  | { kind: "failed"; reason: string };

/** An entry of the audit topic: an action that is about to begin (`outcome` is null), or its outcome. */
export type AuditEntry = { actionId: string; actor: Actor; action: Action; outcome: Outcome | null };

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
export type ReadEntry = {
  actionId: string;
  action: string;
  subject: string;
  by: string;
  note: string;
  from: Json;
  parameters: Json;
  outcome: Json | null;
};

export const textIn = (value: unknown): string => (typeof value === "string" ? value : "");

/** Null for a record in another form. Never throws. */
export const readEntry = (value: Buffer | null): ReadEntry | null => {
  const event = objectOf(parseJson(value?.toString("utf8") ?? ""));
  const data = objectOf(event?.["data"]);
  if (event === null || data === null) return null;
  const { actionId, action, by, note, from, parameters, outcome } = data;
  if (typeof actionId !== "string" || typeof action !== "string") return null;
  return {
    actionId,
    action,
    subject: textIn(event["subject"]),
    by: textIn(by),
    note: textIn(note),
    from: objectOf(from) ?? {},
    parameters: objectOf(parameters) ?? {},
    outcome: outcome === undefined ? null : (objectOf(outcome) ?? {}),
  };
};
