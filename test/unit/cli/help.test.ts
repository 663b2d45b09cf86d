import { execFileSync } from "node:child_process";
import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import { buildProgram } from "../../../src/cli/program.ts";
import { runCommand } from "./run-command.ts";

const wholeProgram = (): Promise<Command> =>
  buildProgram([], { env: {}, out: () => undefined, err: () => undefined } as never);

/** Every command of the program, with the words that lead to it. */
const commandsOf = (
  command: Command,
  path: readonly string[] = [],
): { command: Command; path: string[] }[] => [
  { command, path: [...path] },
  ...command.commands.flatMap((each) => commandsOf(each, [...path, each.name()])),
];

const named = commandsOf(await wholeProgram()).map(({ path }) => ({
  name: path.join(" ") || "(none)",
  path,
}));

const MAX_COLUMNS = 80;
const MAX_LINES = 40;

/** The commands below `Examples:`; a backslash at the end of a line continues it. */
const examplesIn = (help: string): string[] => {
  const [, block = ""] = help.split("\nExamples:\n");
  return block
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .map((line) => line.replace(/^ {2}\$ cambio-bridge /, ""));
};

/** The words that a shell makes of a line. */
const wordsOf = (line: string): string[] =>
  execFileSync("bash", ["-c", `printf '%s\\0' ${line}`])
    .toString()
    .split("\0")
    .slice(0, -1);

describe.each(named)("$name", ({ path }) => {
  test("has help that fits a screen, with examples that the program takes", async () => {
    const { out: help } = await runCommand({}, [...path, "--help"]);
    const lines = help.split("\n");
    expect(lines.filter((line) => line.length > MAX_COLUMNS)).toEqual([]);
    expect(lines.length).toBeLessThanOrEqual(MAX_LINES);
    const examples = examplesIn(help);
    expect(examples).not.toEqual([""]);
    for (const example of examples) {
      const words = wordsOf(example.replace(/ [>|].*/, ""));
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
