import { Command, CommanderError } from "commander";
import { isSignInFailure } from "../kafka/sign-in/sign-in-error.ts";
import { messageOf, UsageError } from "../runtime/errors.ts";
import { escapedLines } from "./escaped.ts";
import { ConfigError, EXIT, type ExitCode, type Io } from "./io.ts";
import { untilAborted } from "./until-aborted.ts";
import { versionOf } from "./version.ts";

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
  doctor: async (io, exit) => (await import("./doctor.ts")).doctorCommand(io, exit),
  config: async (io, exit) => (await import("./config.ts")).configCommand(io, exit),
  "dead-letters": async (io, exit) => (await import("./dead-letters.ts")).deadLettersCommand(io, exit),
  resolve: async (io, exit) => (await import("./resolve.ts")).resolveCommand(io, exit),
  pause: async (io, exit) => (await import("./pause.ts")).pauseCommand(io, exit),
  resume: async (io, exit) => (await import("./pause.ts")).resumeCommand(io, exit),
  console: async (io, exit) => (await import("./console.ts")).consoleCommand(io, exit),
  status: async (io, exit) => (await import("./status.ts")).statusCommand(io, exit),
};

const EXAMPLES = `
Settings are environment variables; docs/settings.md lists them all.

Examples:
  $ cambio-bridge setup
  $ cambio-bridge serve
  $ cambio-bridge send accept-quote --quote-id q-1 --counterparty-id cp-1 --wait
  $ cambio-bridge watch events`;

const untilStopped = async ({ stopped }: Io, close: () => Promise<void>): Promise<void> => {
  await untilAborted(stopped);
  await close();
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

/** What people type who want to know the version. */
const VERSION = ["version", "-v"];

/** Runs the command that the arguments name. Never rejects: whatever goes wrong becomes a sentence and an exit code. */
export const runProgram = async (args: readonly string[], terminal: Io): Promise<ExitCode> => {
  // Names, notes and messages of others are in what commands say.
  const io: Io = {
    ...terminal,
    out: (line) => terminal.out(escapedLines(line)),
    err: (line) => terminal.err(escapedLines(line)),
  };
  let code: ExitCode = EXIT.done;
  try {
    const program = await build(args, io, (given) => (code = given));
    const wanted = VERSION.includes(args[0] ?? "") ? ["--version"] : args;
    await program.parseAsync([...wanted], { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    if (error instanceof UsageError) {
      io.err(error.message);
      return error instanceof ConfigError ? EXIT.usage : EXIT.failed;
    }
    if (isSignInFailure(error)) {
      io.err(`${messageOf(error)}.`);
      return EXIT.failed;
    }
    // It was asked to end, or nobody reads its output any more: what fails by that is no news.
    if (!io.stopped.aborted) io.err(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return EXIT.failed;
  }
};
