import { Command, InvalidArgumentError, Option } from "commander";
import { readEnvironment, type Environment } from "../config/load.ts";
import { formNames } from "../sandbox/api/answers.ts";
import { repetitions, type SandboxOptions } from "../sandbox/options.ts";
import { UsageError } from "../runtime/errors.ts";
import { startSandbox } from "../sandbox/start.ts";
import { walkNames } from "../sandbox/transactions/walks.ts";
import { examples, problemsError, untilAborted, type Io } from "./io.ts";
import { durationMs, webhookUrl, wholeNumber } from "./option-values.ts";

type Flags = Omit<SandboxOptions, "clock" | "webhookUrls"> & {
  host: string;
  port: number;
  timeScale: number;
  webhookUrl: string[];
  step: number;
  retry: number;
};

const positive = (text: string): number => {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) throw new InvalidArgumentError("It must be a number above 0.");
  return value;
};

const lasting = (flags: string, about: string, usual: string): Option =>
  new Option(flags, about).argParser(durationMs).default(durationMs(usual), usual);

const options = (): Option[] => [
  new Option("--host <address>", "where to listen").default("127.0.0.1"),
  new Option("--port <number>", "0 takes any free one").argParser(wholeNumber(0, 65_535)).default(8090),
  new Option("--webhook-url <url>", "subscribed from the start; repeatable")
    .argParser((text, earlier: string[]) => [...earlier, webhookUrl(text).href])
    .default([], "none"),
  new Option("--time-scale <factor>", "divides the durations: 900 makes 15m a second")
    .argParser(positive)
    .default(1),
  lasting("--step <duration>", "mean time between two statuses", "10m"),
  lasting("--retry <duration>", "mean time between attempts to notify", "15m"),
  new Option("--walk <name>", "the path of transactions").choices(walkNames).default("main"),
  new Option("--answers <form>", "how answers look").choices(formNames).default("plain"),
  new Option("--repetition <policy>", "a second accept's answer").choices(repetitions).default("conflict"),
  new Option("--accept-unknown-quotes", "execute accepts of quotes never created"),
];

/** The tokens that the sandbox asks for, as the bridge reads them, at the start. Throws a ConfigError. */
const tokensOf = (env: Environment): Pick<SandboxOptions, "accessToken" | "xToken"> => {
  const { config, problems } = readEnvironment(env, "tool");
  const own = problems.filter(({ variable }) => /^PARTNER_(ACCESS|X)_TOKEN$/.test(variable));
  if (own.length > 0) throw problemsError(own);
  const { accessToken, xToken } = config.partner;
  return { accessToken: accessToken?.reveal(), xToken: xToken?.reveal() };
};

/** The partner imitated. Reads no settings but the partner's two tokens. */
export const sandboxCommand = ({ env, out, stopped }: Io): Command => {
  const command = new Command("sandbox")
    .summary("Imitate the partner's API, to rehearse and to test.")
    .description("Imitate the partner's API: it misbehaves on demand, and counts what it executed.")
    .addHelpText("after", examples("sandbox --step 1s"));
  for (const option of options()) command.addOption(option);
  return command.action(
    async ({ webhookUrl: webhookUrls, step: stepMs, retry: retryMs, ...flags }: Flags) => {
      const sandbox = await startSandbox({ ...flags, stepMs, retryMs, ...tokensOf(env), webhookUrls }).catch(
        (error: unknown) => {
          if (!(error instanceof Error && "syscall" in error)) throw error;
          const where = `${flags.host}:${flags.port} (${error.message})`;
          throw new UsageError(`Cannot listen on ${where}: choose another with --host or --port.`);
        },
      );
      out(`sandbox listening on ${sandbox.url} (time scale ${flags.timeScale})`);
      await untilAborted(stopped);
      await sandbox.close();
    },
  );
};
