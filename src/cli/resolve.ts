import { Command, Option } from "commander";
import { createKit } from "../bridge/kit.ts";
import { resolveDoubt } from "../bridge/resolve.ts";
import { systemClock } from "../runtime/clock.ts";
import { configOf, EXIT, type ExitCode, type Io } from "./io.ts";
import { silent } from "./silent.ts";

type Flags = { as: "succeeded" | "not-executed"; note: string; by: string; force?: boolean };

const seconds = (ms: number): string => `${Math.ceil(ms / 1_000)}s`;

const resolve = async (io: Io, commandId: string, flags: Flags): Promise<ExitCode> => {
  const config = configOf(io, "tool");
  const kit = createKit(config, systemClock, silent);
  const { as, note, by, force = false } = flags;
  const resolved = await resolveDoubt(config, kit, commandId, { as, note, by, force });
  switch (resolved.kind) {
    case "resolved":
      io.out(JSON.stringify(resolved.result));
      return EXIT.done;
    case "decided":
      io.err(`Command ${commandId} is decided already.`);
      if (resolved.result) io.out(JSON.stringify(resolved.result));
      else io.err("It was rejected, for another command holds its quote: QUOTE_ALREADY_TAKEN.");
      return EXIT.failed;
    case "tooYoung":
      io.err(
        `The call of command ${commandId} began ${seconds(resolved.ageMs)} ago and might still be under way on a frozen replica: wait until it is ${seconds(resolved.neededMs)} old, or insist with --force.`,
      );
      return EXIT.failed;
    case "underWay":
      io.err(`Command ${commandId} is being executed: wait for its result.`);
      return EXIT.failed;
    case "unknown":
      io.err(`The journal knows no command ${commandId} that is in doubt.`);
      return EXIT.failed;
  }
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
    .requiredOption("--note <text>", "how you know; kept in the journal")
    .requiredOption("--by <name>", "who decides; kept in the journal and the result")
    .option("--force", "decide although the call might still be under way")
    .action(async (commandId: string, flags: Flags) => exit(await resolve(io, commandId, flags)));
