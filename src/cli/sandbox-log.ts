import { Option, type Command } from "commander";
import { logChoices, type LogRules } from "../sandbox/api/log/log-rules.ts";

/** `createdAt` becomes `log-created-at`. */
const flagOf = (name: string): string =>
  `log-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** The flags that say how the sandbox's log is read and answered: one for each of its rules. */
export const addLogOptions = (
  command: Command,
  parse: { duration: (text: string) => number; wholePositive: (text: string) => number },
): Command => {
  for (const [name, { about, names }] of Object.entries(logChoices))
    command.addOption(new Option(`--${flagOf(name)} <choice>`, about).choices(names).default(names[0]));
  return command
    .option("--log-late <duration>", "how long after its sending an entry appears", parse.duration)
    .option(
      "--log-limit <number>",
      "how many entries an answer has at most (default: all)",
      parse.wholePositive,
    )
    .option(
      "--log-entries <number>",
      "how many notifications the log holds; the oldest are forgotten",
      parse.wholePositive,
      1_000_000,
    );
};

/** What these flags say, from all flags of the command. */
export const logRulesOf = (flags: Readonly<Record<string, unknown>>): Partial<LogRules> => {
  const keyOf = (name: string) => `log${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
  const names = [...Object.keys(logChoices), "limit"];
  return {
    ...Object.fromEntries(names.map((name) => [name, flags[keyOf(name)]])),
    ...(flags["logLate"] !== undefined && { lateMs: Number(flags["logLate"]) }),
  };
};
