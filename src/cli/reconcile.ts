import { Command, Option } from "commander";
import { explainOutage } from "../services/outage.ts";
import { forceReconcile, reconcile, type Report } from "../operate/reconcile.ts";
import { actorOf, userName } from "./actor.ts";
import { examples } from "./help.ts";
import { EXIT, type ExitCode, type Io } from "./io.ts";
import { day } from "./option-values.ts";
import { openTool } from "./tool.ts";

type Flags = { from: string; to: string; dryRun?: boolean; force?: boolean; json?: boolean };

/** What a person must know beside the counts. */
const remarksOf = ({ reasons, tooYoung, held }: Report): string[] => {
  const remarks = reasons.map((reason) => `Not complete: ${reason}.`);
  if (held > 0)
    remarks.push(
      `Held back: ${held}. Compare \`cambio-bridge logs\` with their events, or publish them with --force.`,
    );
  if (tooYoung > 0)
    remarks.push(
      `Left to their webhooks: ${tooYoung} younger than RECONCILE_MIN_AGE. To publish them too, run it again later or with RECONCILE_MIN_AGE=0.`,
    );
  return remarks;
};

const run = async (io: Io, { dryRun = false, force = false, json, ...days }: Flags): Promise<ExitCode> => {
  const { config, services } = openTool(io, "reconcile");
  // It has no options for them: who insists is the user of this machine.
  const actor = actorOf({ by: userName(), note: "reconcile --force" });
  const running =
    force && !dryRun
      ? forceReconcile({ config, services }, actor, days, { warn: io.err }, io.stopped)
      : reconcile(services, days, dryRun, io.stopped);
  const report = await explainOutage(config, running, io.stopped);
  const { entries, known, published, held, tooYoung, unreadable, otherType, result, reasons } = report;
  const counts = { entries, known, published, held, tooYoung, unreadable, otherType, result };
  const complete = result === "complete";
  if (json) io.out(JSON.stringify({ ...counts, complete, reasons }));
  else {
    for (const [name, value] of Object.entries(counts)) io.out(`${name}: ${value}`);
    if (dryRun) io.out("Dry run: nothing was published.");
  }
  for (const remark of remarksOf(report)) io.err(remark);
  return complete ? EXIT.done : EXIT.failed;
};

export const reconcileCommand = (io: Io, exit: (code: ExitCode) => void): Command =>
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
      exit(await run(io, flags));
    });
