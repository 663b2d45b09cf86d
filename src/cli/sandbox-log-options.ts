import { Option } from "commander";
import { logChoices, type LogRules } from "../sandbox/api/log/log-rules.ts";

/** `createdAt` becomes `log-created-at`. */
const flagOf = (name: string): string =>
  `log-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** The options for how the sandbox's log is read and answered: one for each of its rules, and its limits. */
export const logOptions = (parse: {
  duration: (text: string) => number;
  wholePositive: (text: string) => number;
}): Option[] => [
  ...Object.entries(logChoices).map(([name, { about, names }]) =>
    new Option(`--${flagOf(name)} <choice>`, about).choices(names).default(names[0]),
  ),
  new Option("--log-late <duration>", "how long after its sending an entry appears").argParser(
    parse.duration,
  ),
  new Option("--log-limit <number>", "entries of an answer, at most")
    .argParser(parse.wholePositive)
    .default(undefined, "all"),
  new Option("--log-entries <number>", "notifications that the log holds; the oldest are forgotten")
    .argParser(parse.wholePositive)
    .default(1_000_000),
];

/** The rules of the log, from all flags of the command. */
export const logRulesOf = (flags: Readonly<Record<string, unknown>>): Partial<LogRules> => {
  const keyOf = (name: string) => `log${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
  const names = [...Object.keys(logChoices), "limit"];
  return {
    ...Object.fromEntries(names.map((name) => [name, flags[keyOf(name)]])),
    ...(flags["logLate"] !== undefined && { lateMs: Number(flags["logLate"]) }),
  };
};
