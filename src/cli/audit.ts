import type { Command } from "commander";
import { readAudit } from "../operate/audit/entry.ts";
import { iso } from "../runtime/instant.ts";
import { newCommand, printRows, type Io } from "./io.ts";
import { sinceOption } from "./option-values.ts";
import { withTool } from "./tool.ts";

const COLUMNS = ["at", "by", "action", "subject", "parameters", "note", "outcome"];

type Flags = { since: number; json?: boolean };

const list = (io: Io, { since, json }: Flags): Promise<void> =>
  withTool(io, async (tools) => {
    const actions = await readAudit(tools, since);
    const rows = actions.map(({ atMs, ...rest }) => ({ at: iso(atMs), ...rest }));
    await printRows(io, rows, { json, columns: COLUMNS });
    if (rows.length === 0) io.err(`Nobody has done anything since ${iso(since)}.`);
  });

export const auditCommand = (io: Io): Command =>
  newCommand("audit", "List who did what and what came of it, the oldest first.", "audit --since 24h")
    .addOption(sinceOption())
    .option("--json", "print one JSON object a line")
    .action((flags: Flags) => list(io, flags));
