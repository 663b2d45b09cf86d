import { Command, InvalidArgumentError, Option } from "commander";
import { readEnvironment, type Environment } from "../config/load.ts";
import { createdAtFormats, type CreatedAtFormat } from "../sandbox/api/answers/created-at.ts";
import { profileNames } from "../sandbox/api/answers/profiles.ts";
import { signSchemes, type SignScheme } from "../sandbox/notifications/sign.ts";
import { repetitions, type SandboxOptions } from "../sandbox/options.ts";
import { startSandbox } from "../sandbox/start.ts";
import { storyNames } from "../sandbox/stories.ts";
import { walkNames } from "../sandbox/transactions/walks.ts";
import { examples, withHelpAll } from "./help.ts";
import { problemsError, type Io } from "./io.ts";
import { wholeNumber } from "./option-values.ts";
import { logOptions, logRulesOf } from "./sandbox-log-options.ts";
import { untilAborted } from "./until-aborted.ts";

type Flags = SandboxOptions & {
  host: string;
  port: number;
  timeScale: number;
  createdAt?: CreatedAtFormat;
  webhookUrl: string[];
  validity: number;
  step: number;
  retry: number;
  sign?: SignScheme;
  signSecret?: string;
  signHeader: string;
  signPrefix: string;
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

const wholePositive = wholeNumber(1, 999_999_999);

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

const count = (flags: string, about: string, usual: number): Option =>
  new Option(flags, about).argParser(wholePositive).default(usual);

const mainOptions = (): Option[] => [
  new Option("--host <address>", "where to listen").default("127.0.0.1"),
  new Option("--port <number>", "0 takes any free one").argParser(wholeNumber(0, 65_535)).default(8090),
  new Option("--webhook-url <url>", "subscribed from the start; repeatable")
    .argParser(webUrl)
    .default([], "none"),
  new Option("--time-scale <factor>", "divides the durations: 900 makes 15m a second")
    .argParser(positive)
    .default(1),
  lasting("--validity <duration>", "how long a quote can be accepted, on its day", "24h"),
  lasting("--step <duration>", "mean time between two statuses", "10m"),
  lasting("--retry <duration>", "mean time between attempts to notify", "15m"),
  choice("--story <name>", "play a scenario", storyNames),
  choice("--walk <name>", "the path of transactions", walkNames).default(undefined, "main, or the story's"),
  new Option("--seed <text>", "the same seed gives the same ids, jitter and dice"),
  choice("--answers <profile>", "how answers look", profileNames).default("plain"),
  choice("--repetition <policy>", "a second accept's answer", repetitions).default("conflict"),
  new Option("--accept-unknown-quotes", "execute accepts of quotes never created"),
  new Option("--service-name <name>", "what User-Agent ends with after its last hyphen"),
  choice("--sign <scheme>", "sign notifications", signSchemes).default(undefined, "unsigned"),
  new Option("--sign-secret <text>", "the secret of --sign"),
];

/** Left out of `--help`, which would not fit on a screen with them. */
const furtherOptions = (): Option[] => [
  new Option("--start-at <instant>", "where the clock begins")
    .argParser(instant)
    .default(undefined, "now; a fixed morning with --story and --seed"),
  choice("--created-at <form>", "how instants are written", createdAtFormats).default(
    undefined,
    "the profile's",
  ),
  new Option("--local-quotation", "accept must carry an amount"),
  new Option("--ignore-unknown-fields", "ignore fields and query parameters that the specification lacks"),
  new Option("--sign-header <name>", "the header of --sign, except for standard-webhooks").default(
    "x-signature",
  ),
  new Option("--sign-prefix <text>", "stands before the signature, such as sha256=").default(""),
  count("--history <number>", "quotes, transactions, deliveries and requests that can be seen", 5_000),
  count("--max-quotes <number>", "known quotes; the oldest are forgotten", 50_000),
  count("--ledger <number>", "executed quotes whose repetitions are counted exactly", 1_000_000),
];

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

/** The tokens that the sandbox asks for, as the bridge reads them, at the start. Throws a ConfigError. */
const tokensOf = (env: Environment): Pick<SandboxOptions, "accessToken" | "xToken"> => {
  const { config, problems } = readEnvironment(env, "tool");
  const own = problems.filter(({ variable }) => /^PARTNER_(ACCESS|X)_TOKEN$/.test(variable));
  if (own.length > 0) throw problemsError(own);
  const { accessToken, xToken } = config.partner;
  return { accessToken: accessToken?.reveal(), xToken: xToken?.reveal() };
};

/** `sandbox`: the partner imitated, on a port of its own. Reads no settings but the partner's two tokens. */
export const sandboxCommand = ({ env, out, stopped }: Pick<Io, "env" | "out" | "stopped">): Command => {
  const command = new Command("sandbox")
    .summary("Imitate the partner's API, to rehearse and to test.")
    .description("Imitate the partner's API: it misbehaves on demand, and counts what it executed.");
  for (const option of mainOptions()) command.addOption(option);
  for (const option of furtherOptions()) command.addOption(option.helpGroup("Further options:").hideHelp());
  for (const option of logOptions({ duration, wholePositive }))
    command.addOption(option.helpGroup("The notification log:").hideHelp());
  withHelpAll(command).addHelpText("after", examples("sandbox --step 1s", "sandbox --story refund --seed 1"));
  return command.action(async (flags: Flags) => {
    if (flags.sign && !flags.signSecret) command.error("error: --sign needs --sign-secret", { exitCode: 2 });
    const tokens = tokensOf(env);
    const sandbox = await startSandbox({
      ...flags,
      ...tokens,
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
    out(`sandbox listening on ${sandbox.url} (time scale ${flags.timeScale}, seed ${sandbox.seed}${story})`);
    for (const quoteId of sandbox.storyQuoteIds) out(`quote ${quoteId}`);
    await untilAborted(stopped);
    await sandbox.close();
  });
};
