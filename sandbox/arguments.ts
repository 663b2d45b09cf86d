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
  if (!(Number(value) > 0 && Number(value) < Infinity)) throw new Error("is a number above 0");
  return Number(value);
};

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

const duration: Read<number> = (value) => {
  const [, digits = "", unit = ""] = /^(\d{1,9})(ms|s|m|h)$/.exec(value) ?? [];
  if (digits === "") throw new Error("is a duration such as 500ms, 5s, 15m or 2h");
  return Number(digits) * (UNITS_MS[unit] ?? 0);
};

const address: Read<string> = (value) => {
  if (!/^https?:\/\/[^\s#\\]+$/i.test(value) || !URL.canParse(value))
    throw new Error("is an http or https address without a fragment");
  return new URL(value).href;
};

const HELP = `Usage: fx-sandbox [options]

Imitates the partner's API, to rehearse and to test: it misbehaves on demand, and counts what it executed.
It asks for the tokens in PARTNER_ACCESS_TOKEN and PARTNER_X_TOKEN; without them for any.

  --host <address>          where to listen (default: 127.0.0.1)
  --port <number>           0 takes any free one (default: 8090)
  --time-scale <factor>     divides the durations: 900 makes 15m a second (default: 1)
  --step <duration>         mean time between two statuses (default: 10m)
  --retry <duration>        mean time between attempts to notify (default: 15m)
  --walk <name>             the path of transactions (default: main)
  --answers <form>          how answers look (default: plain)
  --repetition <policy>     a second accept's answer (default: conflict)
  --webhook-url <url>       subscribed from the start; repeatable
  --accept-unknown-quotes   execute accepts of quotes never created
  --name-quotes             notifications name the quote of their transaction
  --help                    show this help

Walks: ${walkNames.join(", ")}. Answers: ${formNames.join(", ")}. Repetition: ${repetitions.join(", ")}.`;

const parse = (args: readonly string[]) =>
  parseArgs({
    args: [...args],
    options: {
      host: { type: "string", default: "127.0.0.1" },
      port: { type: "string", default: "8090" },
      "time-scale": { type: "string" },
      step: { type: "string" },
      retry: { type: "string" },
      walk: { type: "string" },
      answers: { type: "string" },
      repetition: { type: "string" },
      "webhook-url": { type: "string", multiple: true, default: [] },
      "accept-unknown-quotes": { type: "boolean" },
      "name-quotes": { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  }).values;

/** @returns undefined for an option that is not there: it has its default */
const readAs = <T>(name: string, value: string | undefined, reader: Read<T>): T | undefined => {
  try {
    return value === undefined ? undefined : reader(value);
  } catch (error) {
    throw new ArgumentsError(
      `--${name} ${(error as Error).message}; it was given as ${JSON.stringify(value)}.`,
    );
  }
};

/**
 * Reads the command line, and the two tokens of the environment, of which an empty one counts as not set. A text is the
 * help, to be shown instead.
 * @throws ArgumentsError
 */
export const readArguments = (
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): (SandboxOptions & { host: string; port: number }) | string => {
  let values: ReturnType<typeof parse>;
  try {
    values = parse(args);
  } catch (error) {
    throw new ArgumentsError(`${(error as Error).message.split(". ", 1)[0]}: --help shows what there is.`);
  }
  if (values.help) return HELP;
  return {
    host: values.host,
    port: readAs("port", values.port, port) ?? 0,
    timeScale: readAs("time-scale", values["time-scale"], factor),
    stepMs: readAs("step", values.step, duration),
    retryMs: readAs("retry", values.retry, duration),
    walk: readAs("walk", values.walk, oneOf(walkNames)),
    answers: readAs("answers", values.answers, oneOf(formNames)),
    repetition: readAs("repetition", values.repetition, oneOf(repetitions)),
    webhookUrls: values["webhook-url"].map((url) => readAs("webhook-url", url, address) ?? url),
    acceptUnknownQuotes: values["accept-unknown-quotes"],
    nameQuotes: values["name-quotes"],
    accessToken: env["PARTNER_ACCESS_TOKEN"] || undefined,
    xToken: env["PARTNER_X_TOKEN"] || undefined,
  };
};
