import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { generated } from "../../dev/generate.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const files = await generated();

test("this is what is generated", () => {
  expect(files.map(({ path }) => relative(root, path))).toEqual([
    "src/records.ts",
    "deploy/kubernetes/monitoring/prometheus-rule.yaml",
    "docs/settings.md",
    "docs/reference.md",
    "docs/failures.md",
  ]);
});

test.each(files)("$path is what `npm run generate` writes", ({ path, text }) => {
  expect(readFileSync(path, "utf8")).toBe(text);
});
