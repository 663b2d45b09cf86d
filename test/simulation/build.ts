import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import type { Mutant } from "./mutants.ts";
import { MAX_CREATES } from "./scenario.ts";

const projectRoot = fileURLToPath(new URL("../..", import.meta.url));
const FOLDERS = ["src/runtime", "src/commands-to-results", "test/simulation"];
const FILES = [
  ...["consume/key-order.ts", "consume/assigned-partition.ts", "consume/watermark.ts"],
  ...["mark.ts", "errors.ts", "headers.ts", "kafkajs-fixes/replace-module.ts"],
]
  .map((name) => `src/kafka/${name}`)
  .concat("src/partner/connection/call-limiter.ts", "src/operate/resolve/find-doubt.ts");

const toJavaScript = (source: string): string =>
  ts.transpileModule(source, {
    compilerOptions: {
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
      rewriteRelativeImportExtensions: true,
      inlineSourceMap: true,
    },
  }).outputText;

const sourcesIn = (folder: string): string[] =>
  readdirSync(join(projectRoot, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
    .map((path) => join(folder, path));

const write = (root: string, path: string, source: string): void => {
  const target = join(root, path.replace(/\.ts$/, ".js"));
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, toJavaScript(source));
};

/**
 * What schedules of some seconds would never reach. The shortest budget of a call is 2 s, and here 1 s: what is measured
 * against it is scaled alike.
 */
const SCALED = [
  {
    path: "src/commands-to-results/accept-once/resolve.ts",
    from: "LEAST_AGE_MS = 15 * 60_000",
    to: "LEAST_AGE_MS = 45_000",
  },
  {
    path: "src/commands-to-results/disposition.ts",
    from: "MAX_CREATES = 10",
    to: `MAX_CREATES = ${MAX_CREATES}`,
  },
];

const sourceOf = (path: string): string => {
  const source = readFileSync(join(projectRoot, path), "utf8");
  const scaled = SCALED.find((each) => each.path === path);
  if (!scaled) return source;
  if (!source.includes(scaled.from)) throw new Error(`this must stand in ${path}: ${scaled.from}`);
  return source.replace(scaled.from, scaled.to);
};

/**
 * Compiles the bridge and the simulation to JavaScript in a temporary folder, and copies of the bridge with a
 * mistake.
 */
export const createBuild = () => {
  const folder = join(projectRoot, ".cache", `simulation-${process.pid}`);
  const base = join(folder, "base");
  for (const path of [...FOLDERS.flatMap(sourcesIn), ...FILES]) write(base, path, sourceOf(path));
  return {
    base,
    /** @returns the root of a copy of the bridge with the mistake */
    mutate: ({ name, edits }: Mutant): string => {
      const root = join(folder, name.replaceAll(/\W+/g, "-"));
      cpSync(join(base, "src"), join(root, "src"), { recursive: true });
      const sources = new Map<string, string>();
      for (const { file, from, to } of edits) {
        const path = join("src", file);
        const source = sources.get(path) ?? sourceOf(path);
        if (source.split(from).length !== 2)
          throw new Error(`mutant "${name}": this must stand once in ${path}:\n${from}`);
        sources.set(
          path,
          source.replace(from, () => to),
        );
      }
      for (const [path, source] of sources) write(root, path, source);
      return root;
    },
    remove: (): void => rmSync(folder, { recursive: true, force: true }),
  };
};
