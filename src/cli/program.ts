import { Command, CommanderError } from "commander";
import { UsageError } from "../runtime/errors.ts";
import { ConfigError, EXIT, type ExitCode, type Io } from "./io.ts";
import { resolveCommand } from "./resolve.ts";
import { sandboxCommand } from "./sandbox.ts";
import { sendCommand } from "./send.ts";
import { serveCommand } from "./serve.ts";
import { setupCommand } from "./setup.ts";
import { watchCommand } from "./watch.ts";

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

const build = (io: Io, exit: (code: ExitCode) => void): Command => {
  const program = new Command("cambio-bridge")
    .description("A bridge between Kafka and a corporate foreign-exchange API.")
    .addHelpText("after", EXAMPLES)
    .showHelpAfterError("(--help shows how it is used)")
    .addCommand(serveCommand(io, exit))
    .addCommand(setupCommand(io, exit))
    .addCommand(sendCommand(io, exit))
    .addCommand(watchCommand(io, exit))
    .addCommand(resolveCommand(io, exit))
    .addCommand(
      sandboxCommand({ env: io.env, print: io.out, untilStopped: (close) => untilStopped(io, close) }),
    );
  // Commander copies these to subcommands only when they are made by it.
  const everywhere = (command: Command): void => {
    command.exitOverride().configureOutput({
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
    await build(io, (given) => (code = given)).parseAsync([...args], { from: "user" });
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
