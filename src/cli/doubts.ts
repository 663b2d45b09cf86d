import { Command } from "commander";
import { listDoubts, type ListedDoubts } from "../bridge/doubts/list-doubts.ts";
import { explainOutage } from "../bridge/outage.ts";
import type { Doubt } from "../console/ports.ts";
import { systemClock } from "../runtime/clock.ts";
import { counted } from "../runtime/counted.ts";
import { iso } from "../runtime/instant.ts";
import { escapeInvisible } from "../runtime/invisible.ts";
import { examples } from "./help.ts";
import { EXIT, type ExitCode, type Io } from "./io.ts";
import { openTool } from "./tool.ts";

/** The parts of a line. */
const HEAD = "since  commandId  operation  quoteId  why  resolve";

const readyOf = ({ resolvableAtMs }: Doubt, nowMs: number): string => {
  if (resolvableAtMs === null) return "no more: retention has deleted its claim";
  return resolvableAtMs <= nowMs ? "now" : `from ${iso(resolvableAtMs)}`;
};

const lineOf = (doubt: Doubt, nowMs: number): string => {
  const { commandId, operation, quoteId, atMs, error } = doubt;
  const why = error === null ? "not known" : `${error.code}: ${error.message}`;
  return [iso(atMs), commandId, operation, quoteId ?? "-", why, readyOf(doubt, nowMs)].join("  ");
};

const jsonOf = ({ atMs, claim, resolvableAtMs, ...rest }: Doubt): Record<string, unknown> => ({
  since: iso(atMs),
  ...rest,
  claim: claim && { at: iso(claim.atMs), place: claim.place, callWithinMs: claim.callWithinMs },
  resolvableAt: resolvableAtMs === null ? null : iso(resolvableAtMs),
});

const closing = ({ doubts, unreadable }: ListedDoubts): string => {
  if (unreadable > 0)
    return `${counted(unreadable, "record")} of the journal cannot be read by this version: there may be more doubts. Use the version of the replicas.`;
  return doubts.length === 0
    ? "No command is in doubt."
    : `${counted(doubts.length, "command")} in doubt. Find out from the partner, then \`cambio-bridge resolve\`: docs/doubts.md.`;
};

const list = async (io: Io, json: boolean): Promise<ExitCode> => {
  const { config, services } = openTool(io);
  const asking = listDoubts(config, services, io.stopped);
  const listed = await explainOutage(config, asking, io.stopped);
  if (listed.doubts.length > 0 && !json) io.err(HEAD);
  const nowMs = systemClock.now();
  for (const doubt of listed.doubts) {
    const line = escapeInvisible(json ? JSON.stringify(jsonOf(doubt)) : lineOf(doubt, nowMs));
    await io.write(Buffer.from(`${line}\n`));
  }
  io.err(closing(listed));
  return listed.unreadable === 0 ? EXIT.done : EXIT.failed;
};

export const doubtsCommand = (io: Io, exit: (code: ExitCode) => void): Command =>
  new Command("doubts")
    .summary("List the commands that are in doubt.")
    .description("List the commands that are in doubt, the oldest first, one a line.")
    .option("--json", "print one JSON object a line")
    .addHelpText("after", examples("doubts"))
    .action(async ({ json = false }: { json?: boolean }) => exit(await list(io, json)));
