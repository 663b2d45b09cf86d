import type { Command } from "commander";
import { reconcileDays } from "../operate/reconcile.ts";
import { actorOf, userName } from "./actor.ts";
import { EXIT, newCommand, type Io } from "./io.ts";
import { withDays, type Days } from "./option-values.ts";
import { withTool } from "./tool.ts";

type Flags = Days & { dryRun?: boolean; force?: boolean; json?: boolean };

const run = (io: Io, { dryRun = false, force = false, json, ...days }: Flags): Promise<void> =>
  withTool(
    io,
    async (tools) => {
      // The command has no --by and --note: the actor is the user of this machine.
      const actor = actorOf({ by: userName(), note: "reconcile --force" });
      const report = await reconcileDays(tools, actor, { ...days, dryRun, force });
      const { entries, known, published, held, tooYoung, unreadable, otherType, result, reasons } = report;
      const counts = { entries, known, published, held, tooYoung, unreadable, otherType, result };
      const complete = result === "complete";
      if (json) io.out(JSON.stringify({ ...counts, complete, reasons }));
      else for (const [name, value] of Object.entries(counts)) io.out(`${name}: ${value}`);
      if (dryRun && !json) io.out("Dry run: nothing was published.");
      for (const reason of reasons) io.err(`Not complete: ${reason}.`);
      if (held > 0)
        io.err(`Held back: ${held}. Compare the partner's log with the events; --force publishes them.`);
      if (!complete) io.exit(EXIT.failed);
    },
    "reconcile",
  );

export const reconcileCommand = (io: Io): Command =>
  withDays(
    newCommand(
      "reconcile",
      "Publish what webhooks missed, from the partner's log.",
      "reconcile --from 2026-12-01 --to 2026-12-02 --dry-run",
    ),
    ", in São Paulo",
  )
    .option("--dry-run", "publish nothing, only say what is missing")
    .option("--force", "publish what is held back, too")
    .option("--json", "print the counts as one JSON object")
    .action((flags: Flags) => run(io, flags));
