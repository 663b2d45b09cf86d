// Writes the generated files: record types, interface descriptions, tables of the documentation. A test fails when one is out of date.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as prettier from "prettier";
import { asyncapi } from "./generate/asyncapi/document.mjs";
import { fill } from "./generate/fill.mjs";
import { openapi } from "./generate/openapi.mjs";
import { recordTypes } from "./generate/record-types.mjs";
import { prometheusRule } from "./generate/prometheus-rule.mjs";
import { metricsTable, settingsTables } from "./generate/tables.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/** @param {string} name @param {string} marks @param {string} part */
const filled = (name, marks, part) => {
  const path = `${root}${name}`;
  return { path, text: fill(readFileSync(path, "utf8"), marks, part) };
};

/** @returns {Promise<{ path: string, text: string }[]>} every generated file with the text it should have */
export async function generated() {
  const style = (await prettier.resolveConfig(`${root}/package.json`)) ?? {};
  const files = [
    { path: `${root}src/records.ts`, text: recordTypes(`${root}schemas`) },
    { path: `${root}docs/asyncapi.yaml`, text: await asyncapi(root) },
    { path: `${root}docs/openapi.yaml`, text: await openapi(root) },
    {
      path: `${root}deploy/kubernetes/monitoring/prometheus-rule.yaml`,
      text: prometheusRule(readFileSync(`${root}deploy/alerts/cambio-bridge.rules.yaml`, "utf8")),
    },
    filled("docs/settings.md", "settings", await settingsTables()),
    filled("docs/metrics.md", "metrics", await metricsTable()),
  ];
  return Promise.all(
    files.map(async ({ path, text }) => ({
      path,
      text: await prettier.format(text, { ...style, filepath: path }),
    })),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { path, text } of await generated()) {
    writeFileSync(path, text);
    console.log(`wrote ${path}`);
  }
}
