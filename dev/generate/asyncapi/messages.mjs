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
        "Chosen by the sender: use quoteId or commandId. Commands with one key run in order.",
        REGISTERED,
      ),
    },
    JsonCommand: {
      summary:
        "A command as plain JSON. Every value that begins with { is read as JSON. Unknown and repeated fields are errors.",
      contentType: "application/json",
      headers: commandHeaders,
      payload: jsonCommand(command),
      correlationId: byValue,
      bindings: bindings("As for a Command in Avro."),
    },
    CommandResult: {
      summary: result.doc,
      contentType: "application/avro",
      headers: resultHeaders(outcomes),
      payload: avroPayload(result),
      correlationId: byHeader,
      bindings: bindings("commandId; where the command could not be read, the key of its record", REGISTERED),
    },
    CommandJournalEntry: {
      summary: entry.doc,
      contentType: "application/avro",
      payload: avroPayload(entry),
      bindings: bindings(
        "quoteId of an accept, in normalised spelling; commandId of any other command",
        REGISTERED,
      ),
    },
    NotificationDeadLetter: {
      summary:
        "A notification that is authentic but cannot be understood. The value is its body, byte for byte.",
      headers: notificationLetterHeaders,
    },
    CommandDeadLetter: {
      summary:
        "A command that could not be accepted. Key, value and headers are those of its record, byte for byte, followed by the dead-letter headers. Or, as CONTRADICTING_ANSWER, a result that was not published.",
      headers: commandLetterHeaders,
      bindings: bindings("the key of the command's record; with CONTRADICTING_ANSWER the commandId"),
    },
    AuditEntry: {
      summary:
        "What a person did with the bridge: the action, written before it takes effect, and its outcome.",
      contentType: "application/cloudevents+json",
      headers: auditHeaders,
      payload: auditEntry,
      bindings: bindings("actionId"),
    },
    ControlWord: {
      summary: "Pauses or resumes a flow. The newest record of a key is in force.",
      contentType: "application/json",
      payload: controlWord,
      bindings: { kafka: { key: { enum: ["commands", "reconcile"] }, bindingVersion: KAFKA } },
    },
  };
};
