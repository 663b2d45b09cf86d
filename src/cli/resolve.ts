import { Command, InvalidArgumentError, Option } from "commander";
import { createKit } from "../bridge/kit.ts";
import { resolveDoubt, type Ended } from "../bridge/resolve.ts";
import { systemClock } from "../runtime/clock.ts";
import { messageOf, UsageError } from "../runtime/errors.ts";
import { configOf, EXIT, type ExitCode, type Io } from "./io.ts";
import { silent } from "./silent.ts";

type Flags = {
  as: "succeeded" | "not-executed";
  note: string;
  by: string;
  quoteId?: string;
  force?: boolean;
};

const seconds = (ms: number): string => `${Math.ceil(ms / 1_000)}s`;

const decide = async (io: Io, commandId: string, flags: Flags): Promise<Ended> => {
  const config = configOf(io, "tool");
  const kit = createKit(config, systemClock, silent);
  const { as, note, by, quoteId = null, force = false } = flags;
  try {
    return await resolveDoubt(config, kit, { commandId, quoteId }, { as, note, by, force });
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(
      `The journal could not be read (${messageOf(error)}), and nothing was decided: run it again when Kafka answers.`,
      { cause: error },
    );
  }
};

const resolve = async (io: Io, commandId: string, flags: Flags): Promise<ExitCode> => {
  const about = flags.quoteId === undefined ? "" : ` for quote ${flags.quoteId}`;
  const resolved = await decide(io, commandId, flags);
  switch (resolved.kind) {
    case "resolved":
      io.out(JSON.stringify(resolved.result));
      return EXIT.done;
    case "decided":
      io.err(`Command ${commandId} is decided already${about}.`);
      if (resolved.result) io.out(JSON.stringify(resolved.result));
      else io.err("It was rejected, for another command holds its quote: QUOTE_ALREADY_TAKEN.");
      return EXIT.failed;
    case "tooYoung":
      io.err(
        `The call of command ${commandId} began ${seconds(resolved.ageMs)} ago and might still be under way on a frozen replica: wait until it is ${seconds(resolved.neededMs)} old, or insist with --force.`,
      );
      return EXIT.failed;
    case "underWay":
      io.err(`Command ${commandId} is being executed${about}: wait for its result.`);
      return EXIT.failed;
    case "several":
      io.err(
        `Command ${commandId} is in doubt for ${resolved.quotes.length} quotes, ${resolved.quotes.join(" and ")}: say with --quote-id which of them is meant.`,
      );
      return EXIT.failed;
    case "unknown":
      io.err(`The journal knows no command ${commandId} that is in doubt${about}.`);
      return EXIT.failed;
  }
};

/** Both go into one record of the journal, beside the partner's answer. */
const MAX_TEXT_LENGTH = 1_000;

const boundedText = (text: string): string => {
  if (text.length > MAX_TEXT_LENGTH)
    throw new InvalidArgumentError(`It must have at most ${MAX_TEXT_LENGTH} characters.`);
  return text;
};

export const resolveCommand = (io: Io, exit: (code: ExitCode) => void): Command =>
  new Command("resolve")
    .description("End an IN_DOUBT, after finding out from the partner what really happened.")
    .argument("<commandId>", "the command in doubt")
    .addOption(
      new Option("--as <outcome>", "what happened")
        .choices(["succeeded", "not-executed"])
        .makeOptionMandatory(),
    )
    .requiredOption("--note <text>", "how you know; kept in the journal", boundedText)
    .requiredOption("--by <name>", "who decides; kept in the journal and the result", boundedText)
    .option("--quote-id <id>", "the quote, where the command is in doubt for more than one")
    .option("--force", "decide although the call might still be under way")
    .action(async (commandId: string, flags: Flags) => exit(await resolve(io, commandId, flags)));
