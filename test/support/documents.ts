import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The project's folder. Names of documents are paths below it. */
export const root = fileURLToPath(new URL("../..", import.meta.url));

export const textOf = (name: string): string => readFileSync(join(root, name), "utf8");

/** Names of the files below a folder that end like this. */
export const filesIn = (folder: string, ending: string, { recursive }: { recursive: boolean }): string[] =>
  readdirSync(join(root, folder), { recursive, encoding: "utf8" })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name));

/** All Markdown that people read: the README and its neighbours, docs/, and what stands beside its code. */
export const documents = [
  "test/simulation/README.md",
  "bench/README.md",
  "dev/dependencies.md",
  ...filesIn(".", ".md", { recursive: false }),
  ...filesIn("docs", ".md", { recursive: true }),
];

const FENCED = /^ *```(?<language>\w*)\n(?<code>[\s\S]*?)^ *```$/gm;

/** The fenced code blocks of a document in one language, in their order. */
export const blocks = (name: string, language: string): string[] =>
  [...textOf(name).matchAll(FENCED)]
    .filter(({ groups }) => groups?.["language"] === language)
    .map(({ groups }) => groups?.["code"] ?? "");

/** A document without its code blocks. */
export const proseOf = (name: string): string => textOf(name).replace(FENCED, "");
