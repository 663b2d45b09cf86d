import { readFileSync } from "node:fs";
import { Command, CommanderError } from "commander";
import { UsageError } from "../runtime/errors.ts";
import { ConfigError, EXIT, type ExitCode, type Io } from "./io.ts";

type Exit = (code: ExitCode) => void;

/** Each command's module is loaded only when it is wanted: the sandbox need not wait for a Kafka client. */
const commands: Record<string, (io: Io, exit: Exit) => Promise<Command>> = {
  serve: async (io, exit) => (await import("./serve.ts")).serveCommand(io, exit),
  setup: async (io, exit) => (await import("./setup.ts")).setupCommand(io, exit),
  sandbox: async (io) =>
    (await import("./sandbox.ts")).sandboxCommand({
      env: io.env,
      print: io.out,
      untilStopped: (close) => untilStopped(io, close),
    }),
  send: async (io, exit) => (await import("./send.ts")).sendCommand(io, exit),
  watch: async (io, exit) => (await import("./watch.ts")).watchCommand(io, exit),
  subscribe: async (io, exit) => (await import("./subscribe.ts")).subscribeCommand(io, exit),
  logs: async (io, exit) => (await import("./logs.ts")).logsCommand(io, exit),
  reconcile: async (io, exit) => (await import("./reconcile.ts")).reconcileCommand(io, exit),
  resolve: async (io, exit) => (await import("./resolve.ts")).resolveCommand(io, exit),
};

const EXAMPLES = `
Settings are environment variables; the README lists them all.

Examples:
  $ cambio-bridge setup
  $ cambio-bridge serve
  $ cambio-bridge send accept-quote --quote-id q-1 --counterparty-id cp-1 --wait
  $ cambio-bridge watch events`;

const untilStopped = async ({ stopped }: Io, close: () => Promise<void>): Promise<void> => {
  await new Promise<void>((resolve) => {
    if (stopped.aborted) resolve();
    else stopped.addEventListener("abort", () => resolve(), { once: true });
  });
  await close();
};

/** The package's own; it lies beside src as beside dist. */
const versionOf = (): string => {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
};

const build = async (args: readonly string[], io: Io, exit: Exit): Promise<Command> => {
  const program = new Command("cambio-bridge")
    .description("A bridge between Kafka and a corporate foreign-exchange API.")
    .version(versionOf(), "-V, --version", "print the version")
    .addHelpText("after", EXAMPLES);
  const wanted = commands[args[0] ?? ""];
  const made = wanted ? [wanted] : Object.values(commands);
  for (const make of made) program.addCommand(await make(io, exit));
  // Commander hands these on only to subcommands that it makes itself.
  const everywhere = (command: Command): void => {
    command
      .exitOverride()
      .showHelpAfterError("(--help shows how it is used)")
      .configureOutput({
        writeOut: (text) => io.out(text.trimEnd()),
        writeErr: (text) => io.err(text.trimEnd()),
      });
    command.commands.forEach(everywhere);
  };
  everywhere(program);
  return program;
};

/** Runs the command that the arguments name. Never rejects: whatever goes wrong becomes a sentence and an exit code. */
export const runProgram = async (args: readonly string[], io: Io): Promise<ExitCode> => {
  let code: ExitCode = EXIT.done;
  try {
    const program = await build(args, io, (given) => (code = given));
    await program.parseAsync([...args], { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    if (error instanceof UsageError) {
      io.err(error.message);
      return error instanceof ConfigError ? EXIT.usage : EXIT.failed;
    }
    io.err(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return EXIT.failed;
  }
};
