import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../../../src/sandbox");

const files = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => join(root, name));

const importsOf = (file: string): string[] =>
  [...readFileSync(file, "utf8").matchAll(/(?:from\s+|import\s*\(?\s*)"([^"]+)"/g)].map(
    ([, specifier]) => specifier ?? "",
  );

test("the sandbox imports its own files and Node's modules, and nothing of the bridge", () => {
  expect(files.length).toBeGreaterThan(20);
  const strangers = files.flatMap((file) =>
    importsOf(file)
      .filter((specifier) =>
        specifier.startsWith(".")
          ? !resolve(dirname(file), specifier).startsWith(root + sep)
          : !specifier.startsWith("node:") && specifier !== "hono/html",
      )
      .map((specifier) => `${file}: ${specifier}`),
  );
  expect(strangers).toEqual([]);
});
