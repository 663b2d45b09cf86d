import type { Argument, HelpConfiguration, Option } from "commander";

/** What stands below the options in a command's help. An example may go on in further lines. */
export const examples = (...commands: readonly string[]): string =>
  ["\nExamples:", ...commands.map((command) => `  $ cambio-bridge ${command}`)].join("\n");

const choicesOf = ({ argChoices }: Argument | Option): string =>
  argChoices === undefined ? "" : `: ${argChoices.join(", ")}`;

const defaultOf = ({ defaultValue, defaultValueDescription }: Option): string => {
  const shown = defaultValueDescription ?? (defaultValue === undefined ? "" : String(defaultValue));
  return shown === "" ? "" : ` (default: ${shown})`;
};

/** Commander's own layout repeats arguments in the list of commands, and quotes each choice. */
export const HELP_LAYOUT: HelpConfiguration = {
  subcommandTerm: (command) => command.name(),
  optionDescription: (option) =>
    `${option.description}${choicesOf(option)}${option.mandatory ? " (required)" : ""}${defaultOf(option)}`,
  argumentDescription: (argument) => `${argument.description}${choicesOf(argument)}`,
};
