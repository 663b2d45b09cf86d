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
    "W3C trace context: of the span that wrote the record where the bridge exports traces, otherwise that of the request or command.",
  ),
  ce_traceparent: text("The same, as the CloudEvents extension names it."),
  tracestate: text("W3C trace state, where there is one."),
};

/** CloudEvents 1.0, Kafka binding, binary mode. @param {{ type: string, id: string, time: string, subject: string }} attributes */
const cloudEvent = ({ type, id, time, subject }) => ({
  ce_specversion: { const: "1.0" },
  ce_id: text(id, { pattern: "^[0-9a-f]{32}$" }),
  ce_source: text("PARTNER_BASE_URL of the bridge that wrote it, without a slash at its end.", {
    format: "uri",
  }),
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
      time: "occurredAt, or receivedAt where occurredAt is not known.",
      subject: "transactionId.",
    }),
    ...TRACE,
  },
  Object.keys(TRACE),
);

const SENDERS_TRACE = {
  traceparent: text(
    "W3C trace context of the sender. With COMMANDS_TRUST_TRACE=true it is the parent of the command's span, otherwise a link.",
  ),
  ce_traceparent: text(
    "The same, as the CloudEvents extension names it; used where there is no traceparent.",
  ),
  tracestate: text("W3C trace state of the sender."),
};

export const commandHeaders = headers(SENDERS_TRACE, Object.keys(SENDERS_TRACE));

const PLACE = {
  "command-topic": text("Only where the command could not be read: the topic of its record."),
  "command-partition": text("Likewise: the partition of its record.", DIGITS),
  "command-offset": text("Likewise: the offset of its record.", DIGITS),
};

/** @param {string[]} outcomes those of the schema */
export const resultHeaders = (outcomes) =>
  headers(
    {
      ...cloudEvent({
        type: "cambio.bridge.v1.CommandResult",
        id: "resultId.",
        time: "completedAt.",
        subject: "commandId; left out where that could not be read.",
      }),
      ...TRACE,
      "correlation-id": text(
        "commandId, so that a result can be routed without decoding it; left out where that could not be read.",
      ),
      outcome: { enum: outcomes, description: "The result's outcome, likewise." },
      ...PLACE,
    },
    ["ce_subject", "correlation-id", ...Object.keys({ ...TRACE, ...PLACE })],
  );

const CUT = {
  "dead-letter-cut": text(
    "Only where the topic refused the dead letter for its size: the number of bytes of the original value, of which only the beginning is kept.",
    DIGITS,
  ),
};

/** @param {string} source @param {object} reason @param {Record<string, object>} more @param {Record<string, object>} [optional] */
const deadLetter = (source, reason, more, optional = {}) =>
  headers(
    {
      ...optional,
      "dead-letter-reason": reason,
      "dead-letter-detail": text("What was wrong, as a sentence.", { maxLength: 1000 }),
      "dead-letter-source": { const: source },
      ...more,
      ...CUT,
    },
    Object.keys({ ...optional, ...CUT }),
  );

/** Headers of notifications are not kept: they hold what proves that the sender is the partner. */
export const notificationLetterHeaders = deadLetter(
  "webhook",
  { const: "UNREADABLE_NOTIFICATION" },
  { "dead-letter-received-at": text("Milliseconds since the epoch.", DIGITS) },
  TRACE,
);

const PLACE_OR_NONE = { pattern: "^(\\d+|-1)$" };
const NO_RECORD = "-1 for a CONTRADICTING_ANSWER, which never was a record";

/** Beside these, the command's own, in front of them and byte for byte. */
export const commandLetterHeaders = deadLetter("command", text("An error code; more may be added."), {
  "dead-letter-topic": text("The topic of the command's record; for a CONTRADICTING_ANSWER that of results."),
  "dead-letter-partition": text(`Its partition; ${NO_RECORD}.`, PLACE_OR_NONE),
  "dead-letter-offset": text(`Its offset; ${NO_RECORD}.`, PLACE_OR_NONE),
  "dead-letter-timestamp": text("Its timestamp in milliseconds since the epoch.", DIGITS),
});

export const auditHeaders = headers({
  "content-type": { const: "application/cloudevents+json; charset=UTF-8" },
});
