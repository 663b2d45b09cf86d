import type { Command } from "commander";
import { buildProgram } from "../../../src/cli/program.ts";

export const helpOf = async (path: readonly string[]): Promise<string> => {
  const lines: string[] = [];
  const program = await wholeProgram((line) => lines.push(line));
  await program.parseAsync([...path, "--help"], { from: "user" }).catch(() => undefined);
  return lines.join("\n");
};

/** The program with all of its commands. */
export const wholeProgram = (out: (line: string) => void = () => undefined): Promise<Command> => {
  const io = {
    env: {},
    out,
    err: () => undefined,
    write: () => Promise.resolve(),
    stopped: new AbortController().signal,
    atExit: () => undefined,
    unblock: () => undefined,
  };
  return buildProgram([], io, () => undefined);
};

/** Every command of the program, with the words that lead to it. */
export const commandsOf = (program: Command): { command: Command; path: readonly string[] }[] => {
  const below = (command: Command, path: readonly string[]): ReturnType<typeof commandsOf> => [
    { command, path },
    ...command.commands.flatMap((each) => below(each, [...path, each.name()])),
  ];
  return below(program, []);
};
