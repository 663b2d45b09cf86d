import { parser } from "@prometheus-io/lezer-promql";
import { createMetrics } from "../../src/ops/metrics.ts";

/** The metrics and labels in a query. `isValid`: whether it is PromQL. */
export type Query = { metrics: string[]; labels: string[]; isValid: boolean };

export const readQuery = (text: string): Query => {
  const query: Query = { metrics: [], labels: [], isValid: true };
  parser.parse(text).iterate({
    enter: ({ type, node, from, to }) => {
      const found = text.slice(from, to);
      if (type.isError) query.isValid = false;
      if (type.name === "Identifier" && node.parent?.name === "VectorSelector") query.metrics.push(found);
      if (type.name === "LabelName") query.labels.push(found);
    },
  });
  return query;
};

/** Metrics and labels that Prometheus and Kubernetes add. */
const OF_PROMETHEUS = { metrics: ["up", "ALERTS"], labels: ["namespace", "pod", "job", "instance", "le"] };

const { registry } = createMetrics();
const described = await registry.getMetricsAsJSON();
const labelsOf = (name: string): string[] =>
  (registry.getSingleMetric(name) as { labelNames?: string[] } | undefined)?.labelNames ?? [];
const known = new Map([
  ...OF_PROMETHEUS.metrics.map((name): [string, string[]] => [name, []]),
  ...described.flatMap(({ name, type }): [string, string[]][] => {
    const suffixes = String(type) === "histogram" ? ["_bucket", "_count", "_sum"] : [""];
    return suffixes.map((suffix) => [name + suffix, labelsOf(name)]);
  }),
]);

/** What is wrong with a query, given the metrics of the bridge. */
export const problemsOf = (text: string): string[] => {
  const { metrics, labels, isValid } = readQuery(text);
  const knownLabels = new Set([...OF_PROMETHEUS.labels, ...metrics.flatMap((name) => known.get(name) ?? [])]);
  return [
    ...(isValid ? [] : ["it is not PromQL"]),
    ...(metrics.length > 0 ? [] : ["it asks for nothing"]),
    ...metrics.filter((name) => !known.has(name)).map((name) => `there is no ${name}`),
    ...labels.filter((name) => !knownLabels.has(name)).map((name) => `no label ${name}`),
  ];
};

/** The bridge's own metrics: those of the process and of Node.js are prom-client's. */
export const ownMetrics = described
  .map(({ name }) => name)
  .filter((name) => !/^cambio_bridge_(process|nodejs)_/.test(name));
