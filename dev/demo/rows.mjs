/**
 * @typedef {object} KafkaRecord one line of `watch --json`
 * @property {string} topic
 * @property {number} partition
 * @property {string | number} offset
 * @property {Record<string, unknown>} value
 */

/** @typedef {import("../terminal/steps.mjs").Style} Style */

const WIDTHS = { time: 9, kind: 9, what: 25, detail: 43 };

/** The colour of a stage or an outcome; all others are in progress. @type {Record<string, Style>} */
const STYLES = {
  AWAITING_FUNDS: "yellow",
  COMPLETED: "green",
  ISSUE: "red",
  CANCELED: "red",
  REFUNDED: "magenta",
  SUCCEEDED: "green",
  REJECTED: "red",
  FAILED: "red",
  IN_DOUBT: "magenta",
};

/** @param {unknown} value @returns {string} empty for what is absent */
const text = (value) => (typeof value === "string" || typeof value === "number" ? String(value) : "");

/** @param {KafkaRecord} record */
const where = ({ topic, partition, offset }) => `${topic}[${partition}]@${offset}`;

/**
 * The rows of the demo's table: time, kind of record, what it says, what about, and its place.
 * @param {{ paint: (style: Style, text: string) => string, startedAt: number }} options
 */
export function createRows({ paint, startedAt }) {
  /** @param {string} time @param {string} kind @param {string} what @param {string} detail @param {string} place */
  const columns = (time, kind, what, detail, place) =>
    ` ${paint("dim", time.padStart(WIDTHS.time))}  ${kind.padEnd(WIDTHS.kind)}${what}${detail.padEnd(WIDTHS.detail)} ${paint("dim", place)}`;
  /** @param {Style} style @param {string} kind @param {string} what @param {string} detail @param {string} place */
  const row = (style, kind, what, detail, place) => {
    const time = `+${((Date.now() - startedAt) / 1000).toFixed(2)} s`;
    return columns(time, kind, paint(style, what.padEnd(WIDTHS.what)), detail, place);
  };
  return {
    head: () =>
      paint("dim", columns("time", "record", "says".padEnd(WIDTHS.what), "about", "topic[partition]@offset")),
    /** @param {string} operation @param {string} detail */
    command: (operation, detail) => row("bold", "command", operation, detail, "fx.commands"),
    /** What is lost on its way. @param {"webhook" | "answer"} kind @param {string} what */
    lost: (kind, what) => row("red", kind, what, "will be lost on its way", "the sandbox"),
    /** @param {KafkaRecord} record */
    result: (record) => {
      const { outcome, operation, quoteId, error, response } = record.value;
      const reason = /** @type {{ code?: unknown } | null} */ (error)?.code;
      const about = text(reason) || (quoteId ? `quote ${text(quoteId)}` : text(response));
      const what = `${text(outcome)} ${text(operation)}`;
      return row(
        STYLES[text(outcome)] ?? "bold",
        "result",
        what,
        about.slice(0, WIDTHS.detail),
        where(record),
      );
    },
    /** @param {KafkaRecord} record */
    event: (record) => {
      const { status, stage, transactionId, source } = record.value;
      const from = source === "NOTIFICATION_LOG" ? ", from the partner's log" : "";
      const place = where(record) + from;
      return row(STYLES[text(stage)] ?? "cyan", "event", text(status), `tx ${text(transactionId)}`, place);
    },
  };
}
