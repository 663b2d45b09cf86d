// The messages of docs/asyncapi.yaml: what a record of each kind holds.
import { readFileSync } from "node:fs";
import {
  auditHeaders,
  commandHeaders,
  commandLetterHeaders,
  eventHeaders,
  notificationLetterHeaders,
  resultHeaders,
} from "./headers.mjs";
import { auditEntry, controlWord, jsonCommand } from "./json-values.mjs";

const AVRO = "application/vnd.apache.avro+json;version=1.9.0";
export const KAFKA = "0.5.0";

/** @param {string} root @param {string} name */
const schema = (root, name) => JSON.parse(readFileSync(`${root}schemas/${name}.avsc`, "utf8"));

/** @param {object} avro */
const avroPayload = (avro) => ({ schemaFormat: AVRO, schema: avro });

/** @param {string} description @param {object} [more] */
const bindings = (description, more = {}) => ({
  kafka: { key: { type: "string", description }, ...more, bindingVersion: KAFKA },
});
/** Confluent's wire format: 0x00, four bytes with the schema's id, Avro binary. */
const REGISTERED = {
  schemaIdLocation: "payload",
  schemaIdPayloadEncoding: "confluent",
  schemaLookupStrategy: "TopicNameStrategy",
};

/** @param {string} root of the project */
export const messages = (root) => {
  const command = schema(root, "command");
  const result = schema(root, "command-result");
  const outcomes = result.fields.find((/** @type {{ name: string }} */ { name }) => name === "outcome").type
    .symbols;
  const byHeader = { location: "$message.header#/correlation-id", description: "The commandId." };
  const byValue = {
    location: "$message.payload#/commandId",
    description: "What the result says in correlation-id.",
  };
  const event = schema(root, "transaction-status-updated");
  const entry = schema(root, "command-journal-entry");
  return {
    TransactionStatusUpdated: {
      summary: event.doc,
      contentType: "application/avro",
      headers: eventHeaders,
      payload: avroPayload(event),
      bindings: bindings("transactionId", REGISTERED),
    },
    Command: {
      summary: command.doc,
      contentType: "application/avro",
      headers: commandHeaders,
      payload: avroPayload(command),
      correlationId: byValue,
      bindings: bindings(
        "The caller's: quoteId or commandId are good ones. Commands of one key run in order.",
        REGISTERED,
      ),
    },
    JsonCommand: {
      summary:
        "A command as plain JSON: every value that begins with { is one. Unknown and repeated fields are errors.",
      contentType: "application/json",
      headers: commandHeaders,
      payload: jsonCommand(command),
      correlationId: byValue,
      bindings: bindings("As of a Command in Avro."),
    },
    CommandResult: {
      summary: result.doc,
      contentType: "application/avro",
      headers: resultHeaders(outcomes),
      payload: avroPayload(result),
      correlationId: byHeader,
      bindings: bindings("commandId; where the command could not be read, the command's own key", REGISTERED),
    },
    CommandJournalEntry: {
      summary: entry.doc,
      contentType: "application/avro",
      payload: avroPayload(entry),
      bindings: bindings("quoteId of an accept in one spelling, commandId of whatever else", REGISTERED),
    },
    NotificationDeadLetter: {
      summary:
        "A notification that is authentic and cannot be understood. The value is its body, byte for byte.",
      headers: notificationLetterHeaders,
    },
    CommandDeadLetter: {
      summary:
        "A command that could not be taken. Key, value and headers are its own, byte for byte, with headers added.",
      headers: commandLetterHeaders,
      bindings: bindings("the command's own"),
    },
    AuditEntry: {
      summary: "What somebody did with the bridge: an action, before it has any effect, and what came of it.",
      contentType: "application/cloudevents+json",
      headers: auditHeaders,
      payload: auditEntry,
      bindings: bindings("actionId"),
    },
    ControlWord: {
      summary: "What somebody said last of a flow. The newest one of a key counts.",
      contentType: "application/json",
      payload: controlWord,
      bindings: { kafka: { key: { enum: ["commands", "reconcile"] }, bindingVersion: KAFKA } },
    },
  };
};
