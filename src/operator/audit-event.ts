import { iso } from "../runtime/instant.ts";
import type { AuditEntry } from "./audit.ts";

const REQUESTED = "cambio.bridge.v1.OperatorActionRequested";
const ENDED = "cambio.bridge.v1.OperatorActionEnded";

/** The content type of a CloudEvent in structured mode. */
export const AUDIT_CONTENT_TYPE = "application/cloudevents+json; charset=UTF-8";

/** An entry of the audit topic as a CloudEvent 1.0, JSON in structured mode. */
export const auditEvent = (
  { actionId, actor, action, outcome }: AuditEntry,
  { id, source, timeMs }: { id: string; source: string; timeMs: number },
): string =>
  JSON.stringify({
    specversion: "1.0",
    id,
    source,
    type: outcome === null ? REQUESTED : ENDED,
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
