import { Command } from "commander";
import { listCommand } from "./dead-letters/list.ts";
import { replayCommand } from "./dead-letters/replay.ts";
import { showCommand } from "./dead-letters/show.ts";
import type { ExitCode, Io } from "./io.ts";

export const deadLettersCommand = (io: Io, exit: (code: ExitCode) => void): Command =>
  new Command("dead-letters")
    .description("What could not be understood: look at it, and send it once more.")
    .addCommand(listCommand(io, exit))
    .addCommand(showCommand(io, exit))
    .addCommand(replayCommand(io, exit));
