// Writes the generated files: record types, the operator's form of the alerts, tables of settings and metrics. A test fails when one is out of date.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as prettier from "prettier";
import { parse, stringify } from "yaml";

const root = fileURLToPath(new URL("..", import.meta.url));

// TypeScript types for the Avro records in schemas/, in the shape avsc gives and takes: a union of null and one
// other type is unwrapped, a union of several records is wrapped by full name, timestamp-millis is a number.

/** @typedef {string | Schema | (string | Schema)[]} Type */
/** @typedef {{ type: Type, name: string, namespace?: string, doc?: string, symbols?: string[], items?: Type, logicalType?: string, fields?: { name: string, type: Type, doc?: string }[] }} Schema */

const primitives = new Map([
  ["null", "null"],
  ["string", "string"],
  ["boolean", "boolean"],
  ["int", "number"],
  ["long", "number"],
  ["double", "number"],
  ["bytes", "Buffer"],
]);

/** @param {string} folder @returns {string} the text of src/records.ts */
function recordTypes(folder) {
  /** @type {Map<string, string>} */
  const declared = new Map();

  /** @param {string | undefined} doc @param {string} indent */
  const comment = (doc, indent) => (doc ? `${indent}/** ${doc} */\n` : "");

  /** @param {Type} type @param {string} namespace @returns {string} */
  const reference = (type, namespace) => {
    if (Array.isArray(type)) {
      const branches = type.filter((branch) => branch !== "null");
      const texts = branches.map((branch) => {
        const text = reference(branch, namespace);
        return branches.length > 1 ? `{ "${namespace}.${text}": ${text} }` : text;
      });
      return (type.includes("null") ? [...texts, "null"] : texts).join(" | ");
    }
    if (typeof type === "string") return primitives.get(type) ?? type.slice(type.lastIndexOf(".") + 1);
    if (type.type === "record" || type.type === "enum") return declare(type, type.namespace ?? namespace);
    return reference(type.type, namespace);
  };

  /** @param {Schema} schema @param {string} namespace @returns {string} */
  const declare = (schema, namespace) => {
    if (declared.has(schema.name)) return schema.name;
    declared.set(schema.name, "");
    const body = schema.symbols
      ? schema.symbols.map((symbol) => `"${symbol}"`).join(" | ")
      : `{\n${(schema.fields ?? [])
          .map(
            (field) => `${comment(field.doc, "  ")}  ${field.name}: ${reference(field.type, namespace)};\n`,
          )
          .join("")}}`;
    declared.set(schema.name, `${comment(schema.doc, "")}export type ${schema.name} = ${body};\n`);
    return schema.name;
  };

  for (const file of readdirSync(folder).sort()) {
    if (!file.endsWith(".avsc")) continue;
    const schema = JSON.parse(readFileSync(`${folder}/${file}`, "utf8"));
    declare(schema, schema.namespace);
  }
  const head = "// Generated from schemas/*.avsc by `npm run generate`. Change the schemas, not this file.\n";
  return [head, ...declared.values()].join("\n");
}

/** @param {string} rules a rule file of Prometheus @returns {string} the same for the Prometheus operator */
function prometheusRule(rules) {
  const metadata = { name: "cambio-bridge" };
  const { groups } = parse(rules);
  const manifest = {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "PrometheusRule",
    metadata,
    spec: { groups },
  };
  const head = "# Written by `npm run generate` from deploy/alerts/cambio-bridge.rules.yaml.\n";
  return head + stringify(manifest, { lineWidth: 0 });
}

/**
 * Puts a generated part into a text, between `<!-- begin NAME … -->` and `<!-- end NAME -->`.
 * @param {string} text
 * @param {string} name
 * @param {string} part
 * @returns {string} throws when the marks are not there exactly once
 */
function fill(text, name, part) {
  const marks = new RegExp(`(<!-- begin ${name}\\b[^>]*-->\\n)[\\s\\S]*?(<!-- end ${name} -->)`, "g");
  const count = [...text.matchAll(marks)].length;
  if (count !== 1)
    throw new Error(`the marks of the generated part "${name}" occur ${count} times, not once`);
  return text.replace(marks, (_, begin, end) => `${begin}\n${part}\n\n${end}`);
}

/** @typedef {import("../src/config/settings.ts")} Settings */
/** @typedef {import("../src/ops/metrics.ts")} Metrics */
/** @typedef {Settings["rows"][number]} Row */

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
async function settingsTables() {
  const { rows } = /** @type {Settings} */ (await import("../src/config/settings.ts"));
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
async function metricsTable() {
  const { createMetrics } = /** @type {Metrics} */ (await import("../src/ops/metrics.ts"));
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

/** @param {string} name @param {string} marks @param {string} part */
const filled = (name, marks, part) => [name, fill(readFileSync(`${root}${name}`, "utf8"), marks, part)];

/** @returns {Promise<{ path: string, text: string }[]>} every generated file with the text it should have */
export async function generated() {
  const rules = readFileSync(`${root}deploy/alerts/cambio-bridge.rules.yaml`, "utf8");
  const files = [
    ["src/records.ts", recordTypes(`${root}schemas`)],
    ["deploy/kubernetes/monitoring/prometheus-rule.yaml", prometheusRule(rules)],
    filled("docs/settings.md", "settings", await settingsTables()),
    filled("docs/reference.md", "metrics", await metricsTable()),
  ];
  return Promise.all(
    files.map(async ([name = "", text = ""]) => {
      const path = `${root}${name}`;
      const style = await prettier.resolveConfig(path);
      return { path, text: await prettier.format(text, { ...style, filepath: path }) };
    }),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { path, text } of await generated()) {
    writeFileSync(path, text);
    console.log(`wrote ${path}`);
  }
}
