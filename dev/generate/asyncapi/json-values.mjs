// JSON Schema of the values that are JSON: commands (from the Avro schema), entries of the audit topic, words of the control topic.

/** @typedef {{ name: string, type: unknown, doc?: string, default?: unknown }} Field */
/** @typedef {{ name: string, namespace?: string, doc?: string, fields: Field[] }} AvroRecord */

const MAX_LENGTH = 1024;
const instant = (/** @type {string} */ description) => ({
  description,
  anyOf: [{ type: "string", format: "date-time" }, { type: "integer" }],
});

/** What a command's strings have to be beyond that. @type {Record<string, object>} */
const RULES = {
  commandId: { minLength: 1, maxLength: MAX_LENGTH },
  quoteId: {
    minLength: 1,
    maxLength: MAX_LENGTH,
    pattern: "^[^\\s\\u0000-\\u001f\\u007f-\\u009f]*$",
    not: { enum: [".", ".."] },
  },
  counterpartyId: { minLength: 1, maxLength: MAX_LENGTH },
  amount: { pattern: "^(0|[1-9]\\d*)(\\.\\d+)?$", maxLength: 128 },
  quotedAmount: { pattern: "^(0|[1-9]\\d*)(\\.\\d+)?$", maxLength: 128 },
  externalId: { maxLength: MAX_LENGTH },
};

/** @param {Field} field */
function value({ name, type, doc = "" }) {
  const nullable = Array.isArray(type);
  const [own] = nullable ? type.filter((/** @type {unknown} */ one) => one !== "null") : [type];
  if (typeof own === "object") {
    const { anyOf, description } = instant(doc);
    return { description, anyOf: nullable ? [...anyOf, { type: "null" }] : anyOf };
  }
  return { description: doc, type: nullable ? ["string", "null"] : "string", ...RULES[name] };
}

/** @param {AvroRecord} record @param {Record<string, object>} [first] */
const object = ({ doc, fields }, first = {}) => ({
  type: "object",
  description: doc,
  additionalProperties: false,
  required: [
    ...Object.keys(first),
    ...fields.filter((field) => !("default" in field)).map(({ name }) => name),
  ],
  properties: { ...first, ...Object.fromEntries(fields.map((field) => [field.name, value(field)])) },
});

/** @param {AvroRecord} command the Avro schema */
export function jsonCommand(command) {
  const request = /** @type {{ type: AvroRecord[] }} */ (
    command.fields.find(({ name }) => name === "request")
  );
  const { properties, ...rest } = object({
    ...command,
    fields: command.fields.filter((field) => field !== request),
  });
  /** @param {AvroRecord} record @param {string} name */
  const wrapped = (record, name) => ({
    type: "object",
    additionalProperties: false,
    required: [name],
    properties: { [name]: object(record) },
  });
  const forms = request.type.flatMap((record) => [
    object(record, { type: { const: record.name } }),
    wrapped(record, record.name),
    wrapped(record, `${command.namespace}.${record.name}`),
  ]);
  return {
    ...rest,
    // The record's own timestamp stands in for it.
    required: ["commandId", "request"],
    properties: {
      ...properties,
      request: { description: "The call that the command asks for.", oneOf: forms },
    },
  };
}

const text = { type: "string" };

/** An entry of the audit topic: a CloudEvent in structured mode. */
export const auditEntry = {
  type: "object",
  required: ["specversion", "id", "source", "type", "time", "subject", "datacontenttype", "data"],
  properties: {
    specversion: { const: "1.0" },
    id: text,
    source: { type: "string", description: "/cambio-bridge/ and KAFKA_GROUP_ID.", format: "uri-reference" },
    type: {
      enum: ["cambio.bridge.v1.OperatorActionRequested", "cambio.bridge.v1.OperatorActionEnded"],
      description:
        "Requested is written before the action has an effect, Ended after it. Where Ended is missing, the process died in between, or could not write it.",
    },
    time: { type: "string", format: "date-time" },
    subject: {
      type: "string",
      description: "The object of the action: a commandId, a dead letter or a flow.",
    },
    datacontenttype: { const: "application/json" },
    data: {
      type: "object",
      required: ["actionId", "action", "by", "note", "from", "parameters"],
      properties: {
        actionId: { type: "string", description: "The same in both entries of an action; the record's key." },
        action: { enum: ["resolve", "replay", "pause", "resume"] },
        by: { type: "string", description: "Who acted, as typed or as signed in." },
        note: { type: "string", description: "The reason, as typed." },
        from: {
          type: "object",
          required: ["host", "user", "program"],
          properties: {
            host: text,
            user: text,
            program: text,
            address: { type: "string", description: "Of the person's browser; only from the console." },
          },
        },
        parameters: { type: "object", description: "Further parameters of the action." },
        outcome: {
          description: "Only in OperatorActionEnded.",
          oneOf: [
            {
              type: "object",
              required: ["kind", "effect"],
              properties: {
                kind: { const: "done" },
                effect: {
                  type: "object",
                  description: "What is durable now, such as the record that was written.",
                },
              },
            },
            {
              type: "object",
              required: ["kind", "reason"],
              properties: { kind: { enum: ["refused", "failed"] }, reason: text },
            },
            {
              type: "object",
              description:
                "Nothing was done yet: a second person must confirm the same decision (four eyes).",
              required: ["kind", "reason", "until", "quoteId"],
              properties: {
                kind: { const: "proposed" },
                reason: text,
                until: { type: "string", format: "date-time" },
                quoteId: {
                  type: ["string", "null"],
                  description:
                    "quoteId of the doubt, as spelled in the journal; null where it concerns no quote.",
                },
              },
            },
          ],
        },
      },
    },
  },
};

/** What stands in the control topic, by the name of a flow. */
export const controlWord = {
  type: "object",
  required: ["version", "says", "by", "note", "at", "until", "actionId"],
  properties: {
    version: { const: 1 },
    says: { enum: ["pause", "resume"] },
    by: { type: "string", description: "Who paused or resumed the flow." },
    note: { type: "string", description: "The reason." },
    at: { type: "string", format: "date-time" },
    until: {
      anyOf: [{ type: "string", format: "date-time" }, { type: "null" }],
      description:
        "When a pause ends by itself; null for a pause that lasts until somebody resumes the flow, and for resume.",
    },
    actionId: { type: "string", description: "actionId of the audit entries." },
  },
};
