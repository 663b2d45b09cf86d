import type { AuditLine } from "../../../console/ports.ts";
import type { Incoming } from "../../../kafka/record.ts";
import { objectOf, parseJson } from "../../../runtime/json-object.ts";
import { truncate } from "../truncate.ts";

/** Of an id or a name. */
const MAX_NAME_LENGTH = 500;

const nameOf = (value: unknown): string =>
  typeof value === "string" ? truncate(value, MAX_NAME_LENGTH) : "";

const textOf = (value: unknown): string =>
  value === undefined ? "" : truncate(typeof value === "string" ? value : JSON.stringify(value));

/** The outcome of an action. An unknown form is shown as it is. */
const outcomeOf = (value: unknown): AuditLine["outcome"] => {
  if (value === undefined || value === null) return null;
  const { kind, effect, reason } = objectOf(value) ?? {};
  if (typeof kind !== "string") return { kind: "unknown", text: textOf(value) };
  return { kind: nameOf(kind), text: textOf(effect ?? reason) };
};

const UNREADABLE = "(cannot be read)";

/** An audit entry for the page. A record in another form becomes a line that says so. Never throws. */
export const auditLine = ({ topic, partition, offset, timestampMs, value }: Incoming): AuditLine => {
  const at = { atMs: timestampMs, place: { topic, partition, offset } };
  const text = value?.toString("utf8") ?? "";
  const event = objectOf(parseJson(text));
  const data = objectOf(event?.["data"]);
  if (!data || typeof data["action"] !== "string")
    return {
      ...at,
      actionId: "",
      action: UNREADABLE,
      subject: "",
      by: "",
      note: "",
      from: { host: "", user: "", program: "", address: "" },
      parameters: truncate(text),
      outcome: null,
    };
  const { host, user, program, address } = objectOf(data["from"]) ?? {};
  return {
    ...at,
    actionId: nameOf(data["actionId"]),
    action: nameOf(data["action"]),
    subject: nameOf(event?.["subject"]),
    by: nameOf(data["by"]),
    note: textOf(data["note"]),
    from: { host: nameOf(host), user: nameOf(user), program: nameOf(program), address: nameOf(address) },
    parameters: textOf(data["parameters"]),
    outcome: outcomeOf(data["outcome"]),
  };
};
