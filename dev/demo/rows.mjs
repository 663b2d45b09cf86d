/**
 * @typedef {object} KafkaRecord one line of `watch --json`
 * @property {string} topic
 * @property {number} partition
 * @property {string | number} offset
 * @property {Record<string, unknown>} value
 */

/** @typedef {import("../terminal/style.mjs").Look} Look */

const WIDTHS = { time: 9, kind: 9, what: 25, detail: 43 };

/** How a stage of a transaction is coloured; all others are on their way. @type {Record<string, Look>} */
const STAGE_LOOKS = {
  AWAITING_FUNDS: "yellow",
  COMPLETED: "green",
  ISSUE: "red",
  CANCELED: "red",
  REFUNDED: "magenta",
};

/** @type {Record<string, Look>} */
const OUTCOME_LOOKS = { SUCCEEDED: "green", REJECTED: "red", FAILED: "red", IN_DOUBT: "magenta" };

/** @param {unknown} value @returns {string} empty for what is absent */
const text = (value) => (typeof value === "string" || typeof value === "number" ? String(value) : "");

/** @param {KafkaRecord} record */
const where = ({ topic, partition, offset }) => `${topic}[${partition}]@${offset}`;

/**
 * The lines of the story, as a table: when, what kind of record, what it says, and where it lies.
 * @param {{ paint: (look: Look, text: string) => string, startedAt: number, now?: () => number }} options
 */
export function createRows({ paint, startedAt, now = Date.now }) {
  /** @param {{ kind: string, look: Look, what: string, detail: string, place: string, time?: string }} row */
  const row = ({ kind, look, what, detail, place, time }) => {
    const when = time ?? `+${((now() - startedAt) / 1000).toFixed(2)} s`;
    return [
      ` ${paint("dim", when.padStart(WIDTHS.time))}  `,
      kind.padEnd(WIDTHS.kind),
      paint(look, what.padEnd(WIDTHS.what)),
      detail.padEnd(WIDTHS.detail),
      ` ${paint("dim", place)}`,
    ].join("");
  };
  return {
    head: () =>
      paint(
        "dim",
        row({
          time: "time",
          kind: "record",
          look: "dim",
          what: "says",
          detail: "about",
          place: "topic[partition]@offset",
        }),
      ),
    /** @param {string} operation @param {string} detail @param {string} topic */
    command: (operation, detail, topic) =>
      row({ kind: "command", look: "bold", what: operation, detail, place: topic }),
    /** @param {KafkaRecord} record */
    result: (record) => {
      const { outcome, operation, quoteId, error, response } = record.value;
      const reason = /** @type {{ code?: unknown } | null} */ (error)?.code;
      const about = text(reason) || (quoteId ? `quote ${text(quoteId)}` : text(response));
      return row({
        kind: "result",
        look: OUTCOME_LOOKS[text(outcome)] ?? "bold",
        what: `${text(outcome)} ${text(operation)}`,
        detail: about.slice(0, WIDTHS.detail),
        place: where(record),
      });
    },
    /** @param {string} status */
    lost: (status) =>
      row({
        kind: "webhook",
        look: "red",
        what: status,
        detail: "will be lost on its way",
        place: "the sandbox",
      }),
    lostAnswer: () =>
      row({
        kind: "answer",
        look: "red",
        what: "of the next accept",
        detail: "will be lost on its way",
        place: "the sandbox",
      }),
    /** @param {KafkaRecord} record */
    event: (record) => {
      const { status, stage, transactionId, source } = record.value;
      return row({
        kind: "event",
        look: STAGE_LOOKS[text(stage)] ?? "cyan",
        what: text(status),
        detail: `tx ${text(transactionId)}`,
        place: where(record) + (source === "NOTIFICATION_LOG" ? ", from the partner's log" : ""),
      });
    },
  };
}
