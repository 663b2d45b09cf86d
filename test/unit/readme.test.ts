import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { parseEnv } from "node:util";
import { describe, expect, it } from "vitest";
import { checkFor } from "../../src/commands-to-results/check.ts";
import { loadConfig } from "../../src/config/load.ts";
import { KNOWN_STATUSES } from "../../src/notification/translate.ts";
import { blocks, documents, filesIn, proseOf, root, textOf } from "../support/documents.ts";

/** The anchor that a heading gets where Markdown is shown. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s-]/gu, "")
    .replaceAll(" ", "-");

const anchorsIn = (file: string): string[] =>
  [...proseOf(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading));

/** Links to places within the project, as they are written. */
const targetsIn = (name: string): string[] =>
  [...proseOf(name).matchAll(/\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)$/gm)]
    .map(([, inline, reference]) => inline ?? reference ?? "")
    .filter((target) => !/^\w+:/.test(target));

/** The file that a link leads to, from the document that it stands in. */
const fileOf = (name: string, target: string): string => {
  const [path = ""] = target.split("#");
  return path === "" ? name : relative(root, join(root, dirname(name), path));
};
const linksOf = (name: string): string[] => targetsIn(name).map((target) => fileOf(name, target));

const brokenLinks = (name: string): string[] =>
  targetsIn(name).filter((target) => {
    const [, anchor] = target.split("#");
    const file = fileOf(name, target);
    if (!existsSync(join(root, file))) return true;
    return anchor !== undefined && !anchorsIn(file).includes(anchor);
  });

/** The first column of tables whose cells are names of log events. */
const documentedEvents = (): string[] => {
  const [, section = ""] = /^### Log events$([\s\S]*)/m.exec(textOf("docs/reference.md")) ?? [];
  return section
    .split("\n")
    .flatMap((line) => (line.startsWith("| `") ? (line.split("|")[1] ?? "").split(",") : []))
    .map((cell) => cell.replaceAll("`", "").trim());
};

const LOGGED = [
  /\blog\.(?:trace|debug|info|warn|error|fatal)\([\s\S]*?,\s*"([a-z]+(?:\.[a-z]+)*)",?\s*\)/g,
  /\bchangeLogged\("([a-z]+(?:\.[a-z]+)*)"/g,
];

const loggedEvents = (): string[] =>
  filesIn("src", ".ts", { recursive: true }).flatMap((file) =>
    LOGGED.flatMap((pattern) => [...textOf(file).matchAll(pattern)].map(([, event = ""]) => event)),
  );

describe("the documentation", () => {
  it("has links that lead somewhere", () => {
    expect(documents).toEqual(expect.arrayContaining(["README.md", "CONTRIBUTING.md", "docs/operations.md"]));
    expect(Object.fromEntries(documents.map((name) => [name, brokenLinks(name)]))).toEqual(
      Object.fromEntries(documents.map((name) => [name, []])),
    );
  });

  it("is short: a README for five minutes, and fifteen pages of 200 kB in all", () => {
    const size = (name: string): number => Buffer.byteLength(textOf(name));
    expect(size("README.md")).toBeLessThanOrEqual(12_000);
    const pages = filesIn("docs", ".md", { recursive: true });
    expect(pages.length).toBeLessThanOrEqual(15);
    expect(pages.reduce((sum, page) => sum + size(page), 0)).toBeLessThanOrEqual(200_000);
    const rows = textOf("README.md").matchAll(/^\|.*$/gm);
    expect([...rows].map(([row]) => row).filter((row) => row.length > 120)).toEqual([]);
  });

  it("has no page that is more than two links away from the README", () => {
    const reached = (from: readonly string[]): string[] => [
      ...new Set([...from, ...from.filter((name) => name.endsWith(".md")).flatMap(linksOf)]),
    ];
    expect(reached(reached(["README.md"]))).toEqual(expect.arrayContaining(documents));
  });

  it("shows commands in JSON that the bridge takes", () => {
    const examples = blocks("docs/commands.md", "json");
    const check = checkFor({ purposes: [], currencies: [] });
    expect(examples).toHaveLength(2);
    for (const example of examples) expect(check.json(Buffer.from(example), 0)).toMatchObject({ ok: true });
  });

  it("shows environments that are enough", () => {
    const examples = blocks("docs/setup.md", "ini");
    expect(examples).toHaveLength(2);
    for (const example of examples) {
      // The secrets' files are the reader's; what stands in them does not matter here.
      const env = Object.entries(parseEnv(example)).map(([name, value]) => [
        name.replace(/_FILE$/, ""),
        value,
      ]);
      expect(loadConfig(Object.fromEntries(env) as Record<string, string>, "serve")).toMatchObject({
        ok: true,
        warnings: [],
      });
    }
  });

  it("says of every status which stage it is and which direction it proves", () => {
    const rows = textOf("docs/events.md").matchAll(
      /^\| `([A-Z_]+)` +\| `([A-Z_]+)` +\| (?:`([A-Z]+)`|–) +\|/gm,
    );
    const documented = [...rows].map(([, status, stage, proves = "UNKNOWN"]) => [status, { stage, proves }]);
    expect(Object.fromEntries(documented)).toEqual(KNOWN_STATUSES);
  });

  it("names every log event, and none that does not exist", () => {
    expect(new Set(documentedEvents())).toEqual(new Set(loggedEvents()));
  });
});
