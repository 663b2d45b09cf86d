import { parseArgs } from "node:util";
import { formNames } from "./api/answers.ts";
import { repetitions, type SandboxOptions } from "./options.ts";
import { walkNames } from "./transactions/walks.ts";

/** What was asked for cannot be done. The message is a sentence that says what to do. */
export class ArgumentsError extends Error {
  override readonly name = "ArgumentsError";
}

/** Reads an option's value; throws an Error whose message completes "--option …". */
type Read<T> = (text: string) => T;

const text: Read<string> = (value) => value;

const oneOf =
  <T extends string>(names: readonly T[]): Read<T> =>
  (value) => {
    const name = names.find((each) => each === value);
    if (name === undefined) throw new Error(`is one of ${names.join(", ")}`);
    return name;
  };

const port: Read<number> = (value) => {
  if (!/^\d{1,5}$/.test(value) || Number(value) > 65_535)
    throw new Error("is a whole number from 0 to 65535");
  return Number(value);
};

const factor: Read<number> = (value) => {
  const number = Number(value);
  if (!Number.isFinite(number) || number <= 0) throw new Error("is a number above 0");
  return number;
};

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

const duration: Read<number> = (value) => {
  const [, digits, unit] = /^(\d{1,9})(ms|s|m|h)$/.exec(value) ?? [];
  if (digits === undefined || unit === undefined)
    throw new Error("is a duration such as 500ms, 5s, 15m or 2h");
  return Number(digits) * (UNITS_MS[unit] ?? 0);
};

const address: Read<string> = (value) => {
  if (!/^https?:\/\/[^\s#\\]+$/i.test(value) || !URL.canParse(value))
    throw new Error("is an http or https address without a fragment");
  return new URL(value).href;
};

type Option = { option: string; about: string; usual: string };

/** Every option with a value, its text in the help, and its default. */
const OPTIONS = {
  host: { option: "--host <address>", about: "where to listen", usual: "127.0.0.1" },
  port: { option: "--port <number>", about: "0 takes any free one", usual: "8090" },
  "time-scale": {
    option: "--time-scale <factor>",
    about: "divides the durations: 900 makes 15m a second",
    usual: "1",
  },
  step: { option: "--step <duration>", about: "mean time between two statuses", usual: "10m" },
  retry: { option: "--retry <duration>", about: "mean time between attempts to notify", usual: "15m" },
  walk: { option: "--walk <name>", about: "the path of transactions", usual: "main" },
  answers: { option: "--answers <form>", about: "how answers look", usual: "plain" },
  repetition: { option: "--repetition <policy>", about: "a second accept's answer", usual: "conflict" },
} as const satisfies Record<string, Option>;

const MORE: readonly Omit<Option, "usual">[] = [
  { option: "--webhook-url <url>", about: "subscribed from the start; repeatable" },
  { option: "--accept-unknown-quotes", about: "execute accepts of quotes never created" },
  { option: "--name-quotes", about: "notifications name the quote of their transaction" },
  { option: "--help", about: "show this help" },
];

const OPTION_WIDTH = 26;

const helpText = (): string =>
  [
    "Usage: fx-sandbox [options]",
    "",
    "Imitates the partner's API, to rehearse and to test: it misbehaves on demand, and counts what it executed.",
    "It asks for the tokens in PARTNER_ACCESS_TOKEN and PARTNER_X_TOKEN; without them for any.",
    "",
    ...Object.values<Option>(OPTIONS).map(
      ({ option, about, usual }) => `  ${option.padEnd(OPTION_WIDTH)}${about} (default: ${usual})`,
    ),
    ...MORE.map(({ option, about }) => `  ${option.padEnd(OPTION_WIDTH)}${about}`),
    "",
    `Walks: ${walkNames.join(", ")}. Answers: ${formNames.join(", ")}. Repetition: ${repetitions.join(", ")}.`,
  ].join("\n");

const parse = (args: readonly string[]) => {
  const named = Object.entries(OPTIONS).map(([name, { usual }]) => [
    name,
    { type: "string", default: usual } as const,
  ]);
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...(Object.fromEntries(named) as Record<keyof typeof OPTIONS, { type: "string"; default: string }>),
      "webhook-url": { type: "string", multiple: true, default: [] },
      "accept-unknown-quotes": { type: "boolean", default: false },
      "name-quotes": { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  return values;
};

type Environment = Readonly<Record<string, string | undefined>>;

/** An empty variable counts as not set. */
const tokenIn = (env: Environment, name: string): string | undefined => env[name] || undefined;

/**
 * Reads the command line, and the two tokens of the environment. A text is the help, to be shown instead.
 * @throws ArgumentsError
 */
export const readArguments = (
  args: readonly string[],
  env: Environment,
): (SandboxOptions & { host: string; port: number; timeScale: number }) | string => {
  let values: ReturnType<typeof parse>;
  try {
    values = parse(args);
  } catch (error) {
    throw new ArgumentsError(`${(error as Error).message.split(". ", 1)[0]}: --help shows what there is.`);
  }
  if (values.help) return helpText();
  const read = <T>(name: keyof typeof OPTIONS | "webhook-url", value: string, reader: Read<T>): T => {
    try {
      return reader(value);
    } catch (error) {
      throw new ArgumentsError(
        `--${name} ${(error as Error).message}; it was given as ${JSON.stringify(value)}.`,
      );
    }
  };
  return {
    host: read("host", values.host, text),
    port: read("port", values.port, port),
    timeScale: read("time-scale", values["time-scale"], factor),
    stepMs: read("step", values.step, duration),
    retryMs: read("retry", values.retry, duration),
    walk: read("walk", values.walk, oneOf(walkNames)),
    answers: read("answers", values.answers, oneOf(formNames)),
    repetition: read("repetition", values.repetition, oneOf(repetitions)),
    webhookUrls: values["webhook-url"].map((url) => read("webhook-url", url, address)),
    acceptUnknownQuotes: values["accept-unknown-quotes"],
    nameQuotes: values["name-quotes"],
    accessToken: tokenIn(env, "PARTNER_ACCESS_TOKEN"),
    xToken: tokenIn(env, "PARTNER_X_TOKEN"),
  };
};
