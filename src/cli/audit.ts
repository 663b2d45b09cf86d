import { Command, Option } from "commander";
import { auditSince } from "../operate/audit/entry.ts";
import { iso } from "../runtime/instant.ts";
import { examples, EXIT, printRows, type Exit, type ExitCode, type Io } from "./io.ts";
import { pastMs } from "./option-values.ts";
import { withTool } from "./tool.ts";

const COLUMNS = ["at", "by", "action", "subject", "parameters", "note", "outcome"];

const list = (io: Io, { since, json }: { since: number; json?: boolean }): Promise<ExitCode> =>
  withTool(io, async (tool) => {
    const actions = await auditSince(tool, since, io.stopped);
    const rows = actions.map(({ atMs, ...rest }) => ({ at: iso(atMs), ...rest }));
    await printRows(io, rows, { json, columns: COLUMNS });
    if (rows.length === 0) io.err(`Nobody has done anything since ${iso(since)}.`);
    return EXIT.done;
  });

export const auditCommand = (io: Io, exit: Exit): Command =>
  new Command("audit")
    .description("List who did what and what came of it, the oldest first.")
    .addOption(
      new Option("--since <time>", "not older: an instant, a day in UTC, or an age (24h, 7d)")
        .argParser(pastMs)
        .default(pastMs("7d"), "7d"),
    )
    .option("--json", "print one JSON object a line")
    .addHelpText("after", examples("audit --since 24h"))
    .action(async (flags: { since: number; json?: boolean }) => exit(await list(io, flags)));
