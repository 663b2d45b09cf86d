// The headers of each kind of record. Kafka's headers are bytes: these are UTF-8 text.

/** @param {string} description @param {Record<string, unknown>} [more] */
const text = (description, more = {}) => ({ type: "string", description, ...more });

/** @param {Record<string, object>} properties @param {string[]} [optional] */
const headers = (properties, optional = []) => ({
  type: "object",
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  properties,
});

const DIGITS = { pattern: "^\\d+$" };
const TRACE = {
  traceparent: text(
    "W3C trace context: of the span that wrote the record where the bridge traces, else as it came with the request or command.",
  ),
  ce_traceparent: text("The same as CloudEvents have it."),
  tracestate: text("The state of the trace, where there is any."),
};

/** CloudEvents 1.0, Kafka binding, binary mode. @param {{ type: string, id: string, time: string, subject: string }} attributes */
const cloudEvent = ({ type, id, time, subject }) => ({
  ce_specversion: { const: "1.0" },
  ce_id: text(id, { pattern: "^[0-9a-f]{32}$" }),
  ce_source: text("PARTNER_BASE_URL of the bridge that wrote it.", { format: "uri" }),
  ce_type: { const: type },
  ce_time: text(time, { format: "date-time" }),
  ce_subject: text(subject),
  "content-type": { const: "application/avro" },
});

export const eventHeaders = headers(
  {
    ...cloudEvent({
      type: "cambio.bridge.v1.TransactionStatusUpdated",
      id: "eventId.",
      time: "occurredAt, or receivedAt where that is not known.",
      subject: "transactionId.",
    }),
    ...TRACE,
  },
  Object.keys(TRACE),
);

const SENDERS_TRACE = {
  traceparent: text("W3C trace context of the sender; the result's trace belongs to it or links to it."),
  ce_traceparent: text("The same as CloudEvents have it. Counts where there is no traceparent."),
  tracestate: text("The state of that trace."),
};

export const commandHeaders = headers(SENDERS_TRACE, Object.keys(SENDERS_TRACE));

const PLACE = {
  "command-topic": text("Only where the command could not be read: the topic it stands in."),
  "command-partition": text("Likewise: its partition.", DIGITS),
  "command-offset": text("Likewise: its offset.", DIGITS),
};

/** @param {string[]} outcomes those of the schema */
export const resultHeaders = (outcomes) =>
  headers(
    {
      ...cloudEvent({
        type: "cambio.bridge.v1.CommandResult",
        id: "resultId.",
        time: "completedAt.",
        subject: "commandId.",
      }),
      ...TRACE,
      "correlation-id": text("commandId, so that a result can be routed without decoding it."),
      outcome: { enum: outcomes, description: "The result's outcome, likewise." },
      ...PLACE,
    },
    Object.keys({ ...TRACE, ...PLACE }),
  );

const PARTS = {
  "dead-letter-part": text(
    "Only where the topic refused the letter as one record: which part of how many this is.",
    {
      pattern: "^\\d+/\\d+$",
    },
  ),
  "dead-letter-part-of": {
    enum: ["key", "headers", "value"],
    description: "Likewise: what it is a part of.",
  },
  "dead-letter-part-id": text("Likewise: the same in all parts of one letter."),
};

/** @param {string} source @param {object} reason @param {Record<string, object>} more @param {Record<string, object>} [optional] */
const letter = (source, reason, more, optional = {}) =>
  headers(
    {
      ...optional,
      "dead-letter-reason": reason,
      "dead-letter-detail": text("What was wrong, in words.", { maxLength: 1000 }),
      "dead-letter-source": { const: source },
      ...more,
      ...PARTS,
    },
    Object.keys({ ...optional, ...PARTS }),
  );

/** Headers of notifications are not kept: they hold what proves that the sender is the partner. */
export const notificationLetterHeaders = letter(
  "webhook",
  { const: "UNREADABLE_NOTIFICATION" },
  { "dead-letter-received-at": text("Milliseconds since the epoch.", DIGITS) },
  TRACE,
);

/** Beside these, the command's own, in front of them and byte for byte. */
export const commandLetterHeaders = letter("command", text("An error code; more may be added."), {
  "dead-letter-topic": text("The topic that the command stands in."),
  "dead-letter-partition": text("Its partition.", DIGITS),
  "dead-letter-offset": text("Its offset.", DIGITS),
  "dead-letter-timestamp": text("Its timestamp in milliseconds since the epoch.", DIGITS),
});

export const auditHeaders = headers({
  "content-type": { const: "application/cloudevents+json; charset=UTF-8" },
});
