import type { Command } from "commander";
import type { ToolServices } from "../operate/tool-services.ts";
import { listDoubts, type DoubtNumbers } from "../operate/doubts/doubts.ts";
import { isPause, PAUSABLE, pauses as askPauses, type ControlEntry } from "../operate/pause.ts";
import { status as askStatus } from "../operate/status.ts";
import { systemClock } from "../runtime/clock.ts";
import { messageOf, UsageError } from "../runtime/errors.ts";
import { iso, isoOrNull } from "../runtime/instant.ts";
import { describeOutage, isRegistryError } from "../kafka/wire/outage.ts";
import { proposalJson, proposalText } from "./doubt-lines.ts";
import { flowLines, pauseLine } from "./flow-lines.ts";
import { newCommand, sayProgress, type Io } from "./io.ts";
import { withTool } from "./tool.ts";

const stateOf = (entry: ControlEntry | undefined, nowMs: number): object => {
  if (!entry) return { paused: false, last: null };
  const { says, by, note, atMs, untilMs } = entry;
  const last = { says, by, note, at: iso(atMs), until: isoOrNull(untilMs) };
  return { paused: isPause(entry, nowMs), last };
};

const doubtsLine = ({ doubts, oldestSinceMs }: DoubtNumbers): string =>
  oldestSinceMs === null
    ? "No command is in doubt."
    : `${doubts === 1 ? "1 COMMAND" : `${doubts} COMMANDS`} IN DOUBT, the oldest since ` +
      `${iso(oldestSinceMs)}: see \`cambio-bridge doubts\``;

/** Null where there is no journal, as without the flow commands, or where it cannot be read. */
const waitingOrNull = async (io: Io, tool: ToolServices) => {
  try {
    return await listDoubts(tool, { count: 0, onProgress: sayProgress(io, "the journal") }, io.stopped);
  } catch (error) {
    const isRegistry = isRegistryError(error);
    if (!(error instanceof UsageError) && !isRegistry) throw error;
    io.err(`Doubts are not counted: ${isRegistry ? describeOutage(error, tool.config) : messageOf(error)}`);
    return null;
  }
};

const status = (io: Io, { json = false }: { json?: boolean }): Promise<void> =>
  withTool(io, async (tool) => {
    const [report, entries, waiting] = await Promise.all([
      askStatus(tool, io.stopped),
      askPauses(tool, io.stopped),
      waitingOrNull(io, tool),
    ]);
    const nowMs = systemClock.now();
    if (json) {
      const doubts = waiting && {
        count: waiting.numbers.doubts,
        oldestSince: isoOrNull(waiting.numbers.oldestSinceMs),
        underWay: waiting.numbers.underWay,
      };
      const proposals = waiting && waiting.proposals.map(proposalJson);
      const flows = Object.fromEntries(PAUSABLE.map((flow) => [flow, stateOf(entries.get(flow), nowMs)]));
      io.out(JSON.stringify({ flows, ...report, doubts, proposals }));
      return;
    }
    for (const flow of PAUSABLE) io.out(pauseLine(flow, entries.get(flow), nowMs));
    flowLines(report, tool.config.topics.commands).forEach(io.out);
    if (waiting) io.out(doubtsLine(waiting.numbers));
    waiting?.proposals.map(proposalText).forEach(io.out);
  });

export const statusCommand = (io: Io): Command =>
  newCommand("status", "Show what is paused, who takes commands, what is in doubt.", "status")
    .option("--json", "print one JSON object")
    .action((flags: { json?: boolean }) => status(io, flags));
