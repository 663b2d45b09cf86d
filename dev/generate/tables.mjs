// Tables of the documentation that are made from the code: settings and metrics.

/** @typedef {import("../../src/config/load.ts")} Load */
/** @typedef {import("../../src/ops/metrics.ts")} Metrics */
/** @typedef {Load["rows"][number]} Row */

const FLOWS = /** @type {const} */ (["webhooks", "commands", "reconcile"]);

/** @param {Row["need"]} need */
const needed = (need) => {
  if (need.length === 0) return "none";
  if (need.includes("kafka")) return "**required**";
  if (need.includes("serve")) return "**required** by `serve`";
  const flows = FLOWS.filter((flow) => need.includes(flow));
  return `**required** by the ${flows.join(" and ")} flow${flows.length > 1 ? "s" : ""}`;
};

/** In the order of the document. @type {Record<string, string>} */
const GROUPS = {
  bridge: "Process",
  kafka: "Kafka",
  registry: "Schema registry",
  partner: "Partner",
  webhook: "Webhooks",
  commands: "Commands",
  reconcile: "Reconcile",
  topics: "Topics",
  management: "Management",
  console: "Console",
  traces: "Traces",
};

/** @param {string} text */
const cell = (text) => text.replaceAll("|", "\\|").replaceAll("<", "\\<");

/** @param {string[]} head @param {string[][]} rows @returns {string} a table in Markdown */
const table = (head, rows) =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.map(cell).join(" | ")} |`).join("\n");

/** @param {Row} row */
const fallback = ({ fallback: text, need }) =>
  text ? `\`${text}\`` : text === null ? needed(need) : "empty";

/** A longer list of values goes below the table, which it would make too wide. */
const WIDEST_VALUE = 44;

const isLong = (/** @type {Row} */ { shape }) => shape.length > WIDEST_VALUE;
const valueOf = (/** @type {Row} */ row) => (isLong(row) ? "see below" : row.shape);

/** @returns {Promise<string>} every setting, one table for each group */
export async function settingsTables() {
  const { rows } = /** @type {Load} */ (await import("../../src/config/load.ts"));
  const names = [...new Set(rows.map(({ group }) => group))];
  const order = Object.keys(GROUPS);
  return names
    .sort((a, b) => order.indexOf(a) - order.indexOf(b))
    .map((name) => {
      const members = rows.filter(({ group }) => group === name);
      const lines = members.map((row) => [`\`${row.env}\``, fallback(row), valueOf(row), row.help]);
      const parts = [
        `### ${GROUPS[name] ?? name}`,
        table(["variable", "default", "value", "meaning"], lines),
        ...members.filter(isLong).map(({ env, shape }) => `\`${env}\` takes ${cell(shape)}.`),
      ];
      return parts.join("\n\n");
    })
    .join("\n\n");
}

/** prom-client's own metrics of the process. */
const OF_THE_PROCESS = /^cambio_bridge_(process|nodejs)_/;

/** @returns {Promise<string>} every metric that is the bridge's own */
export async function metricsTable() {
  const { createMetrics } = /** @type {Metrics} */ (await import("../../src/ops/metrics.ts"));
  const none = () => ({});
  const { registry } = createMetrics({
    publisherWaiting: none,
    kafkaUp: none,
    commandsLag: () => new Map(),
    paused: none,
    commands: () => ({ unfinished: 0, inFlight: 0, doubts: 0, oldestDoubtSeconds: 0 }),
    reconcileLeader: () => false,
  });
  const described = await registry.getMetricsAsJSON();
  const lines = described
    .filter(({ name }) => !OF_THE_PROCESS.test(name))
    .map(({ name, type, help }) => {
      // Labels come from the metric itself: it may have no values yet.
      const { labelNames = [] } = /** @type {{ labelNames?: string[] }} */ (registry.getSingleMetric(name));
      const labels = labelNames.map((label) => `\`${label}\``).join(", ");
      return [`\`${name}\``, String(type), labels, help];
    });
  return table(["metric", "type", "labels", "meaning"], lines);
}
