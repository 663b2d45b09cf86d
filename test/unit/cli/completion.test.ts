import { execFileSync, spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { completionScript } from "../../../src/cli/completion.ts";
import { commandsOf, wholeProgram } from "./command-tree.ts";
import { runCommand } from "./run-command.ts";

const program = await wholeProgram();

/** Runs a shell with the script, as it is when somebody presses Tab behind these words; the last one may be begun. */
const inBash = (words: readonly string[]): string[] => {
  const script = `${completionScript(program, "bash")}
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _cambio_bridge; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync("bash", ["-u", "-c", script, "bash", "cambio-bridge", ...words])
    .toString()
    .split("\n")
    .filter((line) => line !== "");
};

/** zsh completes only in a terminal: its own `zpty` gives it one. It writes what it would offer instead of showing it. */
const inZsh = (line: string): string[] => {
  const inner = `${completionScript(program, "zsh").replaceAll("&& compinit", "&& compinit -u -D")}
    compadd() {
      local -a found
      if [[ $@[1,(i)(-|--)] == *-(O|A|D)\\ * ]]; then builtin compadd "$@"; return $?; fi
      builtin compadd -A found "$@"
      builtin compadd "$@"
      print -rl -- $found >> $COMPLETED
    }`;
  const outer = `
    zmodload zsh/zpty
    zpty shell zsh -f -i
    zpty -w shell "source $1; print READY"
    zpty -r shell answer "*READY"$'\\r'"*"
    zpty -w -n shell "$2"$'\\t'
    # It may come in several parts.
    for (( i = 0; i < 100; i++ )); do [[ -s $COMPLETED ]] && break; sleep 0.1; done; sleep 1
    zpty -d shell
  `;
  const folder = execFileSync("mktemp", ["-d"]).toString().trim();
  execFileSync("tee", [`${folder}/script`], { input: inner });
  execFileSync("zsh", ["-f", "-c", outer, "zsh", `${folder}/script`, line], {
    env: { ...process.env, COMPLETED: `${folder}/found`, TERM: "dumb" },
    timeout: 50_000,
  });
  const found = spawnSync("cat", [`${folder}/found`]).stdout.toString();
  execFileSync("rm", ["-r", folder]);
  return [...new Set(found.split("\n").filter((word) => word !== ""))];
};

test("no variable of the script is one that zsh ties to a variable of the environment", () => {
  expect(completionScript(program, "zsh")).not.toMatch(/\b(path|cdpath|fpath|manpath)=/);
});

const hasZsh = spawnSync("zsh", ["--version"]).status === 0;

describe("in bash", { timeout: 60_000 }, () => {
  test("every command completes to its subcommands, or its choices, or its options", () => {
    for (const { command, path } of commandsOf(program)) {
      const names = command.commands.map((each) => each.name());
      const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
      const options = command.options.map(({ long }) => long ?? "");
      const wanted =
        names.length > 0 ? [...names, "help"] : choices.length > 0 ? choices : [...options, "--help"];
      expect(inBash([...path, ""]).sort(), path.join(" ")).toEqual(wanted.sort());
      expect(inBash([...path, "--"]).sort()).toEqual([...options, "--help"].sort());
    }
  });

  test("an option completes to its choices, and to nothing where its value is free", () => {
    for (const { command, path } of commandsOf(program).filter(
      ({ command: { options } }) => options.length > 0,
    ))
      for (const { long, required, argChoices = [] } of command.options.filter(({ required }) => required)) {
        expect(required).toBe(true);
        expect(inBash([...path, long ?? "", ""]).sort(), `${path.join(" ")} ${long}`).toEqual(
          [...argChoices].sort(),
        );
      }
  });

  test.each([
    [["re"], ["resume", "resolve", "reconcile"]],
    [["watch", "r"], ["results"]],
    [["watch", "results", "--fr"], ["--from-beginning"]],
    [["resolve", "order-71", "--as", "s"], ["succeeded"]],
    [["resolve", "--as", "=", "s"], ["succeeded"]],
    [
      ["resolve", "--as", "="],
      ["succeeded", "not-executed"],
    ],
    [
      ["dead-letters", "replay", "--by", "list", "--source", ""],
      ["webhook", "command"],
    ],
    [["help", "dead"], ["dead-letters"]],
    [["dead-letters", "help", "sh"], ["show"]],
    [["help", "send", ""], []],
    [["help", "send", "accept-quote", ""], []],
    [["dead-letters", "help", "show", ""], []],
    [
      ["pause", ""],
      ["commands", "reconcile"],
    ],
    [["resume", "c"], ["commands"]],
    [
      ["sandbox", "--re"],
      ["--retry", "--repetition"],
    ],
    [
      ["no-such-command", "--"],
      ["--version", "--help"],
    ],
  ])("%j", (words, completed) => {
    expect(inBash(words)).toEqual(completed);
  });
});

describe.skipIf(!hasZsh)("in zsh", { timeout: 60_000 }, () => {
  test.each([
    ["cambio-bridge re", ["resume", "resolve", "reconcile"]],
    ["cambio-bridge dead-letters re", ["replay"]],
    ["cambio-bridge resolve c-1 --as ", ["succeeded", "not-executed"]],
    ["cambio-bridge send accept-quote --c", ["--command-id", "--counterparty-id"]],
  ])("%j", (line, completed) => {
    expect(inZsh(line).sort()).toEqual(completed.sort());
  });
});

test("completion prints the script, and takes no other shell", async () => {
  const { code, out } = await runCommand({}, ["completion", "bash"]);
  expect(code).toBe(0);
  expect(out).toBe(completionScript(program, "bash"));
  expect(await runCommand({}, ["completion", "fish"])).toMatchObject({ code: 2 });
});
