import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { generated } from "../../dev/generate.mjs";

const files = await generated();

test("the record types are among what is generated", () => {
  expect(files.map(({ path }) => path.replace(/^.*\/src\//, "src/"))).toContain("src/records.ts");
});

test.each(files)("$path is what `npm run generate` writes", ({ path, text }) => {
  expect(readFileSync(path, "utf8")).toBe(text);
});
