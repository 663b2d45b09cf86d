import { Command, InvalidArgumentError, Option } from "commander";
import { createdAtFormats, type CreatedAtFormat } from "../sandbox/api/answers/created-at.ts";
import { profileNames, type ProfileName } from "../sandbox/api/answers/profiles.ts";
import { signSchemes, type SignScheme } from "../sandbox/notifications/sign.ts";
import { repetitions, type Repetition } from "../sandbox/options.ts";
import { startSandbox } from "../sandbox/start.ts";
import { storyNames, type StoryName } from "../sandbox/stories.ts";
import { walkNames, type Walk } from "../sandbox/transactions/walks.ts";
import { addLogOptions, logRulesOf } from "./sandbox-log.ts";

export type SandboxCommandDeps = {
  /** Only PARTNER_ACCESS_TOKEN and PARTNER_X_TOKEN are read. */
  env: Readonly<Record<string, string | undefined>>;
  print: (line: string) => void;
  /** Returns when the sandbox was asked to end and `close` is through. */
  untilStopped: (close: () => Promise<void>) => Promise<void>;
};

type Flags = {
  host: string;
  port: number;
  timeScale: number;
  seed?: string;
  startAt?: number;
  story?: StoryName;
  answers: ProfileName;
  createdAt?: CreatedAtFormat;
  webhookUrl: string[];
  validity: number;
  step: number;
  retry: number;
  repetition: Repetition;
  walk?: Walk;
  serviceName?: string;
  acceptUnknownQuotes?: true;
  localQuotation?: true;
  ignoreUnknownFields?: true;
  sign?: SignScheme;
  signSecret?: string;
  signHeader: string;
  signPrefix: string;
  history: number;
  maxQuotes: number;
  ledger: number;
  logEntries: number;
};

const unitMs: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

const duration = (text: string): number => {
  const [, digits, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text) ?? [];
  const factor = unitMs[unit ?? ""];
  if (factor === undefined)
    throw new InvalidArgumentError("It must be a duration such as 500ms, 5s, 15m or 2h.");
  return Number(digits) * factor;
};

const positive = (text: string): number => {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) throw new InvalidArgumentError("It must be a number above 0.");
  return value;
};

const wholePositive = (text: string): number => {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("It must be a whole number above 0.");
  return Number(text);
};

const portNumber = (text: string): number => {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new InvalidArgumentError("It must be a port from 0 (any free one) to 65535.");
  return Number(text);
};

const instant = (text: string): number => {
  const at = text === "now" ? Date.now() : Date.parse(text);
  if (Number.isNaN(at))
    throw new InvalidArgumentError("It must be an instant such as 2026-01-05T12:00:00Z, or now.");
  return at;
};

const webUrl = (text: string, earlier: string[]): string[] => {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new InvalidArgumentError("It must be an http or https URL.");
  return [...earlier, text];
};

const choice = (flags: string, about: string, names: readonly string[]): Option =>
  new Option(flags, about).choices(names);

const lasting = (flags: string, about: string, usual: string): Option =>
  new Option(flags, about).argParser(duration).default(duration(usual), usual);

/** Ends the command with one sentence where the options or the port are at fault. */
const refuse = (command: Command, flags: Flags, error: unknown): never => {
  if (error instanceof RangeError) command.error(`error: ${error.message}`, { exitCode: 2 });
  if (error instanceof Error && "syscall" in error)
    command.error(
      `error: cannot listen on ${flags.host}:${flags.port} (${error.message}); choose another with --host or --port`,
      { exitCode: 1 },
    );
  throw error;
};

/** `sandbox`: the partner imitated, on a port of its own. */
export const sandboxCommand = ({ env, print, untilStopped }: SandboxCommandDeps): Command =>
  addLogOptions(
    new Command("sandbox")
      .description(
        "Run a stand-in for the partner's API, which misbehaves on demand and counts what it executed.",
      )
      .option("--host <address>", "where to listen", "127.0.0.1")
      .option("--port <number>", "0 takes any free one", portNumber, 8090)
      .option(
        "--time-scale <factor>",
        "divides validity, steps and retries: 900 makes 15 minutes a second",
        positive,
        1,
      )
      .addOption(
        new Option("--webhook-url <url>", "subscribed from the start; may be given several times")
          .argParser(webUrl)
          .default([], "none"),
      )
      .addOption(choice("--story <name>", "play a scenario", storyNames))
      .option("--seed <text>", "the same seed gives the same ids, jitter and dice")
      .option(
        "--start-at <instant>",
        "where the clock begins (default: now; a fixed morning with --story and --seed)",
        instant,
      )
      .addOption(choice("--answers <profile>", "how answers look", profileNames).default("plain"))
      .addOption(
        choice("--created-at <form>", "how instants are written (default: the profile's)", createdAtFormats),
      )
      .addOption(
        choice("--walk <name>", "the path transactions take (default: main, or the story's)", walkNames),
      )
      .addOption(
        lasting(
          "--validity <duration>",
          "how long a quote can be accepted, on the day it was created",
          "24h",
        ),
      )
      .addOption(lasting("--step <duration>", "mean time between two statuses", "10m"))
      .addOption(lasting("--retry <duration>", "mean time between two attempts to notify", "15m"))
      .addOption(
        choice("--repetition <policy>", "how a second accept is answered", repetitions).default("conflict"),
      )
      .option("--accept-unknown-quotes", "execute accepts of quotes that were never created")
      .option("--local-quotation", "accept must carry an amount")
      .option(
        "--ignore-unknown-fields",
        "let fields and query parameters pass that the specification does not know",
      )
      .option("--service-name <name>", "what User-Agent must end with after its last hyphen")
      .addOption(choice("--sign <scheme>", "sign notifications (default: unsigned)", signSchemes))
      .option("--sign-secret <text>", "the secret of --sign")
      .option("--sign-header <name>", "the header of --sign, except for standard-webhooks", "x-signature")
      .option("--sign-prefix <text>", "stands before the signature, such as sha256=", "")
      .option(
        "--history <number>",
        "how many quotes, transactions, deliveries and requests can be looked at",
        wholePositive,
        5_000,
      )
      .option(
        "--max-quotes <number>",
        "how many quotes are known; the oldest are forgotten",
        wholePositive,
        50_000,
      )
      .option(
        "--ledger <number>",
        "for how many executed quotes repetitions are counted exactly",
        wholePositive,
        1_000_000,
      ),
    { duration, wholePositive },
  ).action(async (flags: Flags, command: Command) => {
    if (flags.sign && !flags.signSecret) command.error("error: --sign needs --sign-secret", { exitCode: 2 });
    const sandbox = await startSandbox({
      ...flags,
      accessToken: env["PARTNER_ACCESS_TOKEN"],
      xToken: env["PARTNER_X_TOKEN"],
      createdAtFormat: flags.createdAt,
      webhookUrls: flags.webhookUrl,
      log: logRulesOf(flags),
      quoteValidityMs: flags.validity,
      stepMs: flags.step,
      retryMs: flags.retry,
      signing: flags.sign && {
        scheme: flags.sign,
        secret: flags.signSecret ?? "",
        header: flags.signHeader,
        prefix: flags.signPrefix,
      },
    }).catch((error: unknown) => refuse(command, flags, error));
    const story = flags.story ? `, story ${flags.story}` : "";
    print(
      `sandbox listening on ${sandbox.url} (time scale ${flags.timeScale}, seed ${sandbox.seed}${story})`,
    );
    for (const quoteId of sandbox.storyQuoteIds) print(`quote ${quoteId}`);
    await untilStopped(sandbox.close);
  });
