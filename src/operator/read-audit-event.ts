export type Json = Readonly<Record<string, unknown>>;

export const objectOf = (value: unknown): Json | null =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : null;

export const isText = (value: unknown): value is string => typeof value === "string";

/** Null for text that is not JSON. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
};

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
