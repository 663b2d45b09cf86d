import { Command } from "commander";
import { listCommand } from "./dead-letters/list.ts";
import { replayCommand } from "./dead-letters/replay.ts";
import { showCommand } from "./dead-letters/show.ts";
import { examples } from "./help.ts";
import type { ExitCode, Io } from "./io.ts";

export const deadLettersCommand = (io: Io, exit: (code: ExitCode) => void): Command =>
  new Command("dead-letters")
    .description("List, show and replay dead letters.")
    .addCommand(listCommand(io, exit))
    .addCommand(showCommand(io, exit))
    .addCommand(replayCommand(io, exit))
    .addHelpText("after", examples("dead-letters list --since 24h"));
