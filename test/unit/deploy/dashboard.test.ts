import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ownMetrics, problemsOf, readQuery } from "../../support/promql.ts";

type Panel = {
  id: number;
  type: string;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { expr: string; legendFormat: string }[];
};

const file = new URL("../../../deploy/grafana/cambio-bridge.json", import.meta.url);
const { panels, templating } = JSON.parse(readFileSync(file, "utf8")) as {
  panels: Panel[];
  templating: { list: { name: string; query: string }[] };
};
/** As Grafana sends them. */
const sent = (expr: string): string =>
  expr.replaceAll("$__rate_interval", "1m").replaceAll("$__range", "3h").replaceAll("$namespace", ".*");
const queries = panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr, legendFormat }) => ({ title, expr: sent(expr), legendFormat })),
);
const metricOf = (name: string): string => name.replace(/_(bucket|count|sum)$/, "");

test.each(queries)("$title: $expr", ({ expr, legendFormat }) => {
  expect(problemsOf(expr)).toEqual([]);
  const legends = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = ""]) => label);
  const grouped = readQuery(expr).labels;
  for (const label of legends) expect([...grouped, "pod", "instance"]).toContain(label);
});

test("every metric of the bridge is shown", () => {
  const shown = new Set(queries.flatMap(({ expr }) => readQuery(expr).metrics.map(metricOf)));
  expect(ownMetrics.filter((name) => !shown.has(name))).toEqual([]);
});

test("variables that queries use are there", () => {
  const names = templating.list.map(({ name }) => name);
  expect(names).toEqual(["datasource", "namespace"]);
  const used = panels.flatMap(({ targets = [] }) =>
    targets.flatMap(({ expr }) => expr.match(/\$(?!__)\w+/g) ?? []),
  );
  expect(new Set(used)).toEqual(new Set(["$namespace"]));
});
