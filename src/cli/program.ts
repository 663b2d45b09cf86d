import { CommanderError, type Command } from "commander";
import { UsageError } from "../runtime/errors.ts";
import { escapeInvisibleLines } from "../runtime/invisible.ts";
import { ConfigError, EXIT, newCommand, versionOf, type ExitCode, type Io } from "./io.ts";

type Load = () => Promise<(io: Io) => Command>;

/** Each command's module is loaded only when it is wanted: `--version` need not wait for a Kafka client. */
const commands: Readonly<Record<string, Load>> = {
  setup: async () => (await import("./setup.ts")).setupCommand,
  doctor: async () => (await import("./doctor.ts")).doctorCommand,
  config: async () => (await import("./config.ts")).configCommand,
  subscribe: async () => (await import("./subscribe.ts")).subscribeCommand,
  serve: async () => (await import("./serve.ts")).serveCommand,
  send: async () => (await import("./send.ts")).sendCommand,
  watch: async () => (await import("./watch.ts")).watchCommand,
  logs: async () => (await import("./logs.ts")).logsCommand,
  status: async () => (await import("./status.ts")).statusCommand,
  pause: async () => (await import("./pause.ts")).pauseCommand,
  resume: async () => (await import("./pause.ts")).resumeCommand,
  doubts: async () => (await import("./doubts.ts")).doubtsCommand,
  resolve: async () => (await import("./resolve.ts")).resolveCommand,
  story: async () => (await import("./story.ts")).storyCommand,
  audit: async () => (await import("./audit.ts")).auditCommand,
  "dead-letters": async () => (await import("./dead-letters.ts")).deadLettersCommand,
  reconcile: async () => (await import("./reconcile.ts")).reconcileCommand,
  console: async () => (await import("./console.ts")).consoleCommand,
};

/** The program with the command that the arguments name, or with all of them: help lists every one. */
export const buildProgram = async (args: readonly string[], io: Io): Promise<Command> => {
  const description =
    "A bridge between Kafka and a corporate foreign-exchange API.\nSettings are environment variables; " +
    "docs/settings.md lists them all.";
  const program = newCommand("cambio-bridge", description, "setup", "serve", "doubts").version(
    versionOf(),
    "-V, --version",
    "print the version",
  );
  const entries = Object.entries(commands).filter(([name]) => name === args[0]);
  for (const [, load] of entries.length > 0 ? entries : Object.entries(commands))
    program.addCommand((await load())(io));
  // Commander hands these on only to subcommands that it makes itself.
  const configure = (command: Command): void => {
    command
      .exitOverride()
      .showHelpAfterError("(--help shows how it is used)")
      .helpOption("-h, --help", "show this help")
      .configureHelp({ subcommandTerm: (subcommand) => subcommand.name() })
      .configureOutput({
        writeOut: (text) => io.out(text.trimEnd()),
        writeErr: (text) => io.err(text.trimEnd()),
      });
    if (command.commands.length > 0) command.helpCommand("help [command]", "Show the help of a command.");
    command.commands.forEach(configure);
  };
  configure(program);
  return program;
};

/** Runs the command that the arguments name. Never rejects: an error becomes a sentence and an exit code. */
export const runProgram = async (args: readonly string[], terminal: Omit<Io, "exit">): Promise<ExitCode> => {
  let code: ExitCode = EXIT.done;
  // The output contains names, notes and messages that others wrote.
  const io: Io = {
    ...terminal,
    out: (line) => terminal.out(escapeInvisibleLines(line)),
    err: (line) => terminal.err(escapeInvisibleLines(line)),
    exit: (exitCode) => (code = exitCode),
  };
  try {
    const program = await buildProgram(args, io);
    await program.parseAsync([...args], { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    if (error instanceof UsageError) {
      io.err(error.message);
      return error instanceof ConfigError ? EXIT.usage : EXIT.failed;
    }
    // After an interrupt, or when nobody reads the output, an error is only a consequence of that.
    if (!io.stopped.aborted) io.err(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return EXIT.failed;
  }
};
