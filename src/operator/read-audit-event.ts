import { objectOf, parseJson, type Json } from "../runtime/json-object.ts";

export const isText = (value: unknown): value is string => typeof value === "string";

/** The fields that every audit entry has; `data` holds the rest. Null for anything else. Never throws. */
export const readAuditEvent = (
  text: string,
): { subject: string; actionId: string; action: string; by: string; data: Json } | null => {
  const event = objectOf(parseJson(text));
  const data = objectOf(event?.["data"]);
  if (event === null || data === null) return null;
  const { subject } = event;
  const { actionId, action, by } = data;
  return isText(subject) && isText(actionId) && isText(action) && isText(by)
    ? { subject, actionId, action, by, data }
    : null;
};
