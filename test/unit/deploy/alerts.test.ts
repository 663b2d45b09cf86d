import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { problemsOf, readQuery } from "../../support/promql.ts";

type Rule = {
  alert: string;
  expr: string;
  for?: string;
  labels: { severity: string };
  annotations: { summary: string; description: string; runbook_url: string };
};
type Case = {
  name: string;
  promql_expr_test: { expr: string; exp_samples: { value: number }[] }[];
};

const textOf = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
const { groups } = parse(textOf("deploy/alerts/cambio-bridge.rules.yaml")) as { groups: { rules: Rule[] }[] };
const { tests: cases } = parse(textOf("deploy/alerts/cambio-bridge.test.yaml")) as { tests: Case[] };
const rules = groups.flatMap((group) => group.rules);
const headings = [...textOf("docs/alerts.md").matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => heading);

test.each(rules)("$alert asks for what the bridge tells, and says what to do", (rule) => {
  expect(problemsOf(rule.expr)).toEqual([]);
  expect(["critical", "warning", "info"]).toContain(rule.labels.severity);
  const { summary, description, runbook_url } = rule.annotations;
  for (const text of [summary, description]) expect(text).toMatch(/^[A-Z{].*\.$/);
  expect(runbook_url).toBe(`docs/alerts.md#${rule.alert.toLowerCase()}`);
  expect(headings).toContain(rule.alert);
});

test.each(rules)("$alert has a case in which it fires and one in which it is silent", ({ alert }) => {
  const samples = [`${alert} fires`, `${alert} is silent`].map((name) => {
    const [found, ...others] = cases.filter((each) => each.name === name);
    expect(others).toEqual([]);
    return found?.promql_expr_test.map(({ expr, exp_samples }) => {
      expect(expr).toBe(`count(ALERTS{alertname="${alert}", alertstate="firing"})`);
      return exp_samples.map(({ value }) => value);
    });
  });
  expect(samples).toEqual([[[1]], [[]]]);
});

test("no case is of an alert that is not there", () => {
  const isOfOne = ({ name }: Case): boolean =>
    rules.some(({ alert }) => name === `${alert} fires` || name.startsWith(`${alert} is silent`));
  expect(cases.filter((each) => !isOfOne(each))).toEqual([]);
});

test("a query with a metric, a label or a word too many is found out", () => {
  expect(problemsOf('rate(cambio_bridge_webhooks_total{code="503"}[5m])')).toEqual([
    "there is no cambio_bridge_webhooks_total",
    "no label code",
  ]);
  expect(problemsOf("sum by (partner) (cambio_bridge_commands_in_doubt)")).toEqual(["no label partner"]);
  expect(problemsOf("sum by (namespace (cambio_bridge_commands_in_doubt)")).toContain("it is not PromQL");
  expect(readQuery("histogram_quantile(0.9, x_bucket)").metrics).toEqual(["x_bucket"]);
});
