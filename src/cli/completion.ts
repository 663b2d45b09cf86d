import { Argument, Command } from "commander";
import { examples } from "./help.ts";
import { EXIT, type ExitCode, type Io } from "./io.ts";

const SHELLS = ["bash", "zsh"] as const;
type Shell = (typeof SHELLS)[number];

const FUNCTION = "_cambio_bridge";

/** The words that may follow a command: `names` stand for themselves, `options` are offered after a dash, or where there is nothing else. */
type Node = { path: string; names: readonly string[]; options: readonly string[] };
/** The words that may follow an option; none where its value is free. */
type Value = { path: string; choices: readonly string[] };

const nodesOf = (command: Command, path: string): Node[] => {
  const below = command.createHelp().visibleCommands(command);
  const names = below.map((each) => each.name());
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  const options = command.options.flatMap(({ long }) => long ?? []);
  return [
    { path, names: [...names, ...choices], options: [...options, "--help"] },
    ...below.flatMap((each) =>
      each.name() === "help"
        ? [
            { path: `${path} help`, names, options: [] },
            // Help takes one name.
            ...names.map((name) => ({ path: `${path} help ${name}`, names: [], options: [] })),
          ]
        : nodesOf(each, `${path} ${each.name()}`),
    ),
  ];
};

const valuesOf = (command: Command, path: string): Value[] => [
  ...command.options
    .filter(({ required, optional }) => required || optional)
    .map(({ long, argChoices = [] }) => ({ path: `${path} ${long ?? ""}`, choices: argChoices })),
  ...command.commands.flatMap((each) => valuesOf(each, `${path} ${each.name()}`)),
];

const bashScript = (program: Command): string => {
  const name = program.name();
  const nodes = nodesOf(program, name);
  const values = valuesOf(program, name);
  const free = values.filter(({ choices }) => choices.length === 0);
  const chosen = values.filter(({ choices }) => choices.length > 0);
  const list = (paths: readonly { path: string }[]): string =>
    paths.map(({ path }) => `"${path}"`).join(" |\\\n      ");
  return `${FUNCTION}() {
  local current=\${COMP_WORDS[COMP_CWORD]} at=$((COMP_CWORD - 1)) command_path=${name} names= options= i
  # Bash takes "--as=value" for three words.
  if [[ $current == "=" ]]; then current=; elif [[ \${COMP_WORDS[at]} == "=" ]]; then at=$((at - 1)); fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$command_path \${COMP_WORDS[i]}" in
      ${list(nodes.slice(1))}) command_path="$command_path \${COMP_WORDS[i]}" ;;
    esac
  done
  COMPREPLY=()
  case "$command_path \${COMP_WORDS[at]}" in
    ${list(free)}) return ;;
${chosen.map(({ path, choices }) => `    "${path}") names="${choices.join(" ")}" ;;`).join("\n")}
    *)
      case "$command_path" in
${nodes.map(({ path, names, options }) => `        "${path}") names="${names.join(" ")}" options="${options.join(" ")}" ;;`).join("\n")}
      esac
      if [[ -z $names || $current == -* ]]; then names=$options; fi
      ;;
  esac
  COMPREPLY=($(compgen -W "$names" -- "$current"))
}
complete -F ${FUNCTION} ${name}`;
};

/** A script rather than a library that runs the program at each Tab, which takes half a second. */
export const completionScript = (program: Command, shell: Shell): string => {
  const head = `# Completion of ${program.name()} for ${shell}: source <(${program.name()} completion ${shell})`;
  // zsh understands bash's completions once it is asked to.
  const zsh = "autoload -Uz compinit && compinit\nautoload -Uz bashcompinit && bashcompinit";
  return [head, ...(shell === "zsh" ? [zsh] : []), bashScript(program)].join("\n");
};

/** Its parent must hold the whole tree of commands. */
export const completionCommand = (io: Io, exit: (code: ExitCode) => void): Command =>
  new Command("completion")
    .description("Print a completion script for bash or zsh.")
    .addArgument(new Argument("<shell>", "whose script").choices(SHELLS))
    .addHelpText("after", examples("completion bash > ~/.cambio-bridge-completion"))
    .action((shell: Shell, _flags: unknown, command: Command) => {
      io.out(completionScript(command.parent ?? command, shell));
      exit(EXIT.done);
    });
