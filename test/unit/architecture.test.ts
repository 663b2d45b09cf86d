import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { describe, expect, test } from "vitest";
import { circles, rooms, violations, type Source } from "../support/house-rules.ts";

/** Scripts of browsers are no modules of the program. */
const isForBrowsers = (name: string): boolean => /^console[\\/]html[\\/].*\.js$/.test(name);
const root = join(import.meta.dirname, "../../src");

const sourcesIn = (folder: string, prefix: string): Source[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.[cm]?[jt]sx?$/.test(name) && !name.startsWith("dist") && !isForBrowsers(name))
    .map((name) => ({
      file: prefix + name.split(sep).join("/"),
      text: readFileSync(join(folder, name), "utf8"),
    }));
const sources = [...sourcesIn(root, ""), ...sourcesIn(join(root, "../sandbox"), "sandbox/")];

test("the sources keep the rules of the house", () => {
  expect(sources.length).toBeGreaterThan(100);
  expect(violations(sources)).toEqual([]);
});

test("every room that has a rule is there", () => {
  for (const room of Object.keys(rooms))
    expect(
      sources.some(({ file }) => file.startsWith(room)),
      room,
    ).toBe(true);
});

test("no arrow between rooms runs back: the table has no circle", () => {
  expect(circles(rooms)).toEqual([]);
  const room = (...values: string[]) => ({ values, types: [] });
  const turned = { "a/": room("b/"), "b/": { values: [], types: ["c/d.ts"] }, "c/": room("a/") };
  expect(circles(turned)).toEqual(["a circle of rooms: a/ → b/ → c/ → a/"]);
  // A room inside of another one counts by itself.
  const inside = { "a/": room(), "a/b/": room("a/c/"), "a/c/": room("a/b/x.ts") };
  expect(circles(inside)).toEqual(["a circle of rooms: a/b/ → a/c/ → a/b/"]);
});

/** The room at the top of `src` that a room or a file of the table belongs to. */
const topOf = (name: string): string => name.split("/")[0] ?? "";

test("the picture in CONTRIBUTING.md shows the table's rooms at the top of src", () => {
  const text = readFileSync(join(root, "../CONTRIBUTING.md"), "utf8");
  const [, picture = ""] = /^```mermaid\n([\s\S]*?)^```$/m.exec(text) ?? [];
  const drawn = [...picture.matchAll(/^ *(\S+(?: & \S+)*) (-->|-\.->) (\S+(?: & \S+)*)$/gm)].flatMap(
    ([, from = "", arrow = "", to = ""]) =>
      from.split(" & ").flatMap((a) => to.split(" & ").map((b) => `${a} ${arrow} ${b}`)),
  );
  const arrows = new Map<string, string>();
  for (const [name, { values, types }] of Object.entries(rooms)) {
    const between = (entry: string): string => `${topOf(name)} ${topOf(entry)}`;
    for (const entry of types) if (!arrows.has(between(entry))) arrows.set(between(entry), "-.->");
    for (const entry of values) arrows.set(between(entry), "-->");
  }
  const shown = [...arrows].flatMap(([pair, arrow]) => {
    const [a = "", b = ""] = pair.split(" ");
    return a === b || b === "records.ts" || b === "runtime" ? [] : [`${a} ${arrow} ${b}`];
  });
  expect(drawn.sort()).toEqual(shown.sort());
  expect(shown.length).toBeLessThanOrEqual(45);
  const withoutRuntime = Object.keys(rooms)
    .map(topOf)
    .filter((top) => !arrows.has(`${top} runtime`));
  expect([...new Set(withoutRuntime)].sort()).toEqual(["main.ts", "records.ts", "runtime", "sandbox"]);
});

/** Named twice all the same: a record in the words of its schema, and the part of it that a room works with. */
const NAMED_TWICE = ["Command"];

test("an exported name means one thing in the whole program", () => {
  const files = new Map<string, string[]>();
  for (const { file, text } of sourcesIn(root, ""))
    for (const [, name = ""] of text.matchAll(/^export (?:async )?(?:const|type|function|class) (\w+)/gm))
      files.set(name, [...(files.get(name) ?? []), file]);
  const twice = [...files].filter(([name, { length }]) => length > 1 && !NAMED_TWICE.includes(name));
  expect(twice).toEqual([]);
});

test("files are short: half of them have at most 100 lines", () => {
  const lines = sources.map(({ text }) => text.trimEnd().split("\n").length).sort((a, b) => a - b);
  expect(lines[Math.floor(lines.length / 2)]).toBeLessThanOrEqual(100);
});

describe("the checker bites", () => {
  const one = (file: string, text: string): string[] => violations([{ file, text }]);

  test.each([
    ["runtime/clock.ts", 'import { x } from "../config/load.ts";', "imports config/load.ts"],
    ["runtime/clock.ts", 'import type { X } from "../records.ts";', "imports types of records.ts"],
    ["partner/client.ts", 'import { Client } from "undici";', "imports undici"],
    ["ops/log.ts", 'const x = () => import("../kafka/client.ts");', "imports kafka/client.ts"],
    ["webhooks-to-events/flow.ts", 'type X = import("../kafka/record.ts").X;', "types of kafka/record.ts"],
    [
      "commands-to-results/accept-once/view.ts",
      'import { x } from "./journal/open.ts";',
      "imports commands-to-results/accept-once/journal/open.ts",
    ],
    ["sandbox/start.ts", 'import { x } from "../src/runtime/clock.ts";', "imports src/runtime/clock.ts"],
    ["cli/serve.ts", 'import { x } from "../../sandbox/start.ts";', "imports ../sandbox/start.ts"],
    ["sandbox/main.ts", 'import { Command } from "commander";', "imports commander"],
    ["sandbox/start.ts", "const x = () => import(`../kafka/codec.ts`);", "imports kafka/codec.ts"],
    [
      "kafka/wire/services.ts",
      'import { x } from "../../ops/traces/open.ts";',
      "loads ops/traces/open.ts before it is wanted",
    ],
    ["bridge/bridge.ts", 'import type { X } from "kafkajs/types";', "imports kafkajs"],
    ["kafka/client.ts", 'const x = process["env"];', 'reads process["env"]'],
    ["kafka/client.ts", "const x = () => globalThis.process.exit(1);", "reads globalThis.process.exit"],
    ["kafka/client.ts", 'import { env } from "node:process";', "imports process"],
    ["kafka/client.ts", "if (true) { start(); }", "acts when it is imported"],
    ["kafka/client.ts", "// @ts-ignore\nconst x = 1;", "puts something off"],
    ["doctor/webhook.ts", 'const x = check.detail.includes("refused");', "reads a sentence back"],
    ["kafka/client.ts", "\n".repeat(250) + "const x = 1;", "has 251 lines"],
    ["kafka/index.ts", "export {};", "is a barrel"],
    ["utils/x.ts", "export {};", "lies in no room of the house"],
    ["kafka/someFile.ts", "export {};", "is not in kebab-case"],
  ])("%s: %.60s", (file, text, problem) => {
    expect(one(file, text).join("\n")).toContain(problem);
  });

  test("a cycle is found, through types as well, and told once", () => {
    const found = violations([
      { file: "kafka/a.ts", text: 'import { b } from "./b.ts";' },
      { file: "kafka/b.ts", text: 'import type { C } from "./c.ts";' },
      { file: "kafka/c.ts", text: 'export { a } from "./a.ts";' },
      { file: "kafka/d.ts", text: 'import { a } from "./a.ts";' },
    ]);
    expect(found).toEqual(["a cycle of imports: kafka/a.ts → kafka/b.ts → kafka/c.ts → kafka/a.ts"]);
  });
});
