import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const dev = fileURLToPath(new URL("../../../dev", import.meta.url));

/** Packages that a program needs before it does anything, with all that it imports. */
const packagesOf = (file: string, seen = new Set<string>()): string[] => {
  if (seen.has(file)) return [];
  seen.add(file);
  const imports = readFileSync(file, "utf8").matchAll(
    /^(?:import|export)\s+(?:[\w*{}\s,$]+\sfrom\s+)?["']([^"']+)["']/gm,
  );
  return [...imports].flatMap(([, name = ""]) => {
    if (name.startsWith("node:")) return [];
    return name.startsWith(".") ? packagesOf(resolve(dirname(file), name), seen) : [`${file}: ${name}`];
  });
};

test.each(["demo.mjs", "test.mjs", "kafka.mjs"])(
  "%s begins on a fresh clone, where no package is installed",
  (name) => {
    expect(packagesOf(resolve(dev, name))).toEqual([]);
  },
);
