/**
 * @typedef {object} KafkaRecord one line of `watch --json`
 * @property {string} topic
 * @property {number} partition
 * @property {string | number} offset
 * @property {Record<string, unknown>} value
 */

/** @typedef {import("../terminal/style.mjs").Style} Style */

const WIDTHS = { time: 9, kind: 9, what: 25, detail: 43 };

/** The colour of a stage; all other stages are in progress. @type {Record<string, Style>} */
const STAGE_STYLES = {
  AWAITING_FUNDS: "yellow",
  COMPLETED: "green",
  ISSUE: "red",
  CANCELED: "red",
  REFUNDED: "magenta",
};

/** @type {Record<string, Style>} */
const OUTCOME_STYLES = { SUCCEEDED: "green", REJECTED: "red", FAILED: "red", IN_DOUBT: "magenta" };

/** @param {unknown} value @returns {string} empty for what is absent */
const text = (value) => (typeof value === "string" || typeof value === "number" ? String(value) : "");

/** @param {KafkaRecord} record */
const where = ({ topic, partition, offset }) => `${topic}[${partition}]@${offset}`;

/**
 * The rows of the demo's table: time, kind of record, what it says, and its place.
 * @param {{ paint: (style: Style, text: string) => string, startedAt: number, now?: () => number }} options
 */
export function createRows({ paint, startedAt, now = Date.now }) {
  /** @param {{ kind: string, style: Style, what: string, detail: string, place: string, time?: string }} row */
  const row = ({ kind, style, what, detail, place, time }) => {
    const when = time ?? `+${((now() - startedAt) / 1000).toFixed(2)} s`;
    return [
      ` ${paint("dim", when.padStart(WIDTHS.time))}  `,
      kind.padEnd(WIDTHS.kind),
      paint(style, what.padEnd(WIDTHS.what)),
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
          style: "dim",
          what: "says",
          detail: "about",
          place: "topic[partition]@offset",
        }),
      ),
    /** @param {string} operation @param {string} detail @param {string} topic */
    command: (operation, detail, topic) =>
      row({ kind: "command", style: "bold", what: operation, detail, place: topic }),
    /** @param {KafkaRecord} record */
    result: (record) => {
      const { outcome, operation, quoteId, error, response } = record.value;
      const reason = /** @type {{ code?: unknown } | null} */ (error)?.code;
      const about = text(reason) || (quoteId ? `quote ${text(quoteId)}` : text(response));
      return row({
        kind: "result",
        style: OUTCOME_STYLES[text(outcome)] ?? "bold",
        what: `${text(outcome)} ${text(operation)}`,
        detail: about.slice(0, WIDTHS.detail),
        place: where(record),
      });
    },
    /** @param {string} status */
    lost: (status) =>
      row({
        kind: "webhook",
        style: "red",
        what: status,
        detail: "will be lost on its way",
        place: "the sandbox",
      }),
    lostAnswer: () =>
      row({
        kind: "answer",
        style: "red",
        what: "of the next accept",
        detail: "will be lost on its way",
        place: "the sandbox",
      }),
    /** @param {KafkaRecord} record */
    event: (record) => {
      const { status, stage, transactionId, source } = record.value;
      return row({
        kind: "event",
        style: STAGE_STYLES[text(stage)] ?? "cyan",
        what: text(status),
        detail: `tx ${text(transactionId)}`,
        place: where(record) + (source === "NOTIFICATION_LOG" ? ", from the partner's log" : ""),
      });
    },
  };
}
