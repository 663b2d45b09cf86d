import { parse, stringify } from "yaml";

const HEAD = "# Written by `npm run generate` from deploy/alerts/cambio-bridge.rules.yaml.\n";

/**
 * @param {string} rules a rule file of Prometheus
 * @returns {string} the same for the Prometheus operator
 */
export function prometheusRule(rules) {
  const { groups } = parse(rules);
  const manifest = {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "PrometheusRule",
    metadata: { name: "cambio-bridge" },
    spec: { groups },
  };
  return HEAD + stringify(manifest, { lineWidth: 0 });
}
