import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { commandsOf, helpOf, wholeProgram } from "./command-tree.ts";

const all = commandsOf(await wholeProgram());
const named = all.map(({ path }) => ({ name: path.join(" ") || "(none)", path }));

const MAX_COLUMNS = 80;
const MAX_LINES = 40;

/** The commands below `Examples:`; a backslash at the end of a line continues it. */
const examplesIn = (help: string): string[] => {
  const [, block = ""] = help.split("\nExamples:\n");
  return block
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .map((line) => line.replace(/^ {2}\$ /, ""));
};

/** The words that a shell makes of a line. */
const wordsOf = (line: string): string[] =>
  execFileSync("bash", ["-c", `printf '%s\\0' ${line}`])
    .toString()
    .split("\0")
    .slice(0, -1);

test("the whole tree is looked at", () => {
  expect(named.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["serve", "send accept-quote", "dead-letters replay", "story"]),
  );
});

describe.each(named)("$name", ({ path }) => {
  test("has help that fits a screen", async () => {
    const lines = (await helpOf(path)).split("\n");
    expect(lines.filter((line) => line.length > MAX_COLUMNS)).toEqual([]);
    expect(lines.length).toBeLessThanOrEqual(MAX_LINES);
  });

  test("shows examples that the program takes", async () => {
    const examples = examplesIn(await helpOf(path));
    expect(examples).not.toEqual([""]);
    for (const example of examples) {
      const [first, ...words] = wordsOf(example.replace(/ [>|].*/, ""));
      expect(first).toBe("cambio-bridge");
      expect(words.slice(0, path.length)).toEqual(path);
      const ran: string[] = [];
      const program = await wholeProgram();
      for (const each of commandsOf(program)) each.command.action(() => void ran.push(each.path.join(" ")));
      await program.parseAsync(words, { from: "user" });
      expect(words.join(" ")).toContain(ran.join(" "));
      expect(ran).toHaveLength(1);
    }
  });
});
