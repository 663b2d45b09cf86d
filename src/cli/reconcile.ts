import { Command, Option } from "commander";
import type { ToolServices } from "../operate/tool-services.ts";
import { dryReconcile, forceReconcile, reconcileDays, type AuditedReport } from "../operate/reconcile.ts";
import { actorOf, userName } from "./actor.ts";
import { examples, EXIT, type Exit, type ExitCode, type Io } from "./io.ts";
import { day } from "./option-values.ts";
import { withTool } from "./tool.ts";

type Flags = { from: string; to: string; dryRun?: boolean; force?: boolean; json?: boolean };

const run = async (
  io: Io,
  tool: ToolServices,
  { dryRun = false, force = false, json, ...days }: Flags,
): Promise<ExitCode> => {
  const running = (): Promise<AuditedReport> => {
    if (dryRun) return dryReconcile(tool, days, force, io.stopped);
    if (!force) return reconcileDays(tool, days, io.stopped);
    // It has no options for them: who insists is the user of this machine.
    return forceReconcile(tool, actorOf({ by: userName(), note: "reconcile --force" }), days, io.stopped);
  };
  const { entries, known, published, held, tooYoung, unreadable, otherType, result, reasons } =
    await running();
  const counts = { entries, known, published, held, tooYoung, unreadable, otherType, result };
  const complete = result === "complete";
  if (json) io.out(JSON.stringify({ ...counts, complete, reasons }));
  else {
    for (const [name, value] of Object.entries(counts)) io.out(`${name}: ${value}`);
    if (dryRun) io.out("Dry run: nothing was published.");
  }
  for (const reason of reasons) io.err(`Not complete: ${reason}.`);
  if (held > 0)
    io.err(
      `Held back: ${held}. Compare \`cambio-bridge logs\` with their events, or publish them with --force.`,
    );
  return complete ? EXIT.done : EXIT.failed;
};

export const reconcileCommand = (io: Io, exit: Exit): Command =>
  new Command("reconcile")
    .description("Publish what webhooks missed, from the partner's log.")
    .addOption(
      new Option("--from <day>", "first day, YYYY-MM-DD, in São Paulo").argParser(day).makeOptionMandatory(),
    )
    .addOption(new Option("--to <day>", "last day").argParser(day).makeOptionMandatory())
    .option("--dry-run", "publish nothing, only say what is missing")
    .option("--force", "publish what is held back, too")
    .option("--json", "print the counts as one JSON object")
    .addHelpText("after", examples("reconcile --from 2026-12-01 --to 2026-12-02 --dry-run"))
    .action(async (flags: Flags, command: Command) => {
      if (flags.from > flags.to) command.error("error: --from must not be later than --to", { exitCode: 2 });
      exit(await withTool(io, (tool) => run(io, tool, flags), "reconcile"));
    });
