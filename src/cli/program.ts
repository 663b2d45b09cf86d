import { Command, CommanderError } from "commander";
import { isSignInFailure } from "../kafka/sign-in/sign-in-error.ts";
import { messageOf, UsageError } from "../runtime/errors.ts";
import { escapeInvisibleLines } from "../runtime/invisible.ts";
import { examples, HELP_LAYOUT } from "./help.ts";
import { ConfigError, EXIT, type ExitCode, type Io, versionOf } from "./io.ts";

type Exit = (code: ExitCode) => void;
type Load = (io: Io, exit: Exit) => Promise<Command>;

/** Each command's module is loaded only when it is wanted: the sandbox need not wait for a Kafka client. */
const groups: Record<string, Record<string, Load>> = {
  "Set up and run:": {
    setup: async (...to) => (await import("./setup.ts")).setupCommand(...to),
    doctor: async (...to) => (await import("./doctor.ts")).doctorCommand(...to),
    config: async (...to) => (await import("./config.ts")).configCommand(...to),
    subscribe: async (...to) => (await import("./subscribe.ts")).subscribeCommand(...to),
    serve: async (...to) => (await import("./serve.ts")).serveCommand(...to),
    sandbox: async (io) => (await import("./sandbox.ts")).sandboxCommand(io),
  },
  "Send and read:": {
    send: async (...to) => (await import("./send.ts")).sendCommand(...to),
    watch: async (...to) => (await import("./watch.ts")).watchCommand(...to),
    logs: async (...to) => (await import("./logs.ts")).logsCommand(...to),
  },
  "Operate:": {
    status: async (...to) => (await import("./status.ts")).statusCommand(...to),
    pause: async (...to) => (await import("./pause.ts")).pauseCommand(...to),
    resume: async (...to) => (await import("./pause.ts")).resumeCommand(...to),
    doubts: async (...to) => (await import("./doubts.ts")).doubtsCommand(...to),
    resolve: async (...to) => (await import("./resolve.ts")).resolveCommand(...to),
    story: async (...to) => (await import("./story.ts")).storyCommand(...to),
    "dead-letters": async (...to) => (await import("./dead-letters.ts")).deadLettersCommand(...to),
    reconcile: async (...to) => (await import("./reconcile.ts")).reconcileCommand(...to),
    console: async (...to) => (await import("./console.ts")).consoleCommand(...to),
  },
};

/** The program with the command that the arguments name, or with all of them: help lists every one. */
export const buildProgram = async (args: readonly string[], io: Io, exit: Exit): Promise<Command> => {
  const program = new Command("cambio-bridge")
    .description("A bridge between Kafka and a corporate foreign-exchange API.")
    .version(versionOf(), "-V, --version", "print the version")
    .addHelpText("after", "\nSettings are environment variables; docs/settings.md lists them all.")
    .addHelpText(
      "after",
      examples("setup", "serve", "send accept-quote --quote-id q-1 --counterparty-id cp-1 --wait"),
    );
  const all = Object.entries(groups).flatMap(([group, commands]) =>
    Object.entries(commands).map(([name, load]) => ({ group, name, load })),
  );
  const wanted = all.find(({ name }) => name === args[0]);
  for (const { group, load } of wanted ? [wanted] : all)
    program.addCommand((await load(io, exit)).helpGroup(group));
  program.commandsGroup("Operate:");
  // Commander hands these on only to subcommands that it makes itself.
  const configure = (command: Command): void => {
    command
      .exitOverride()
      .showHelpAfterError("(--help shows how it is used)")
      .helpOption("-h, --help", "show this help")
      .configureHelp(HELP_LAYOUT)
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
export const runProgram = async (args: readonly string[], terminal: Io): Promise<ExitCode> => {
  // The output contains names, notes and messages that others wrote.
  const io: Io = {
    ...terminal,
    out: (line) => terminal.out(escapeInvisibleLines(line)),
    err: (line) => terminal.err(escapeInvisibleLines(line)),
  };
  let code: ExitCode = EXIT.done;
  try {
    const program = await buildProgram(args, io, (given) => (code = given));
    await program.parseAsync([...args], { from: "user" });
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
    // After an interrupt, or when nobody reads the output, an error is only a consequence of that.
    if (!io.stopped.aborted) io.err(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return EXIT.failed;
  }
};
