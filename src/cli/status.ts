import type { Command } from "commander";
import { listDoubts } from "../operate/doubts/doubts.ts";
import { isPause, PAUSABLE, readPauses, type ControlEntry } from "../operate/pause.ts";
import { askOrWarn } from "../operate/read-topic.ts";
import { readStatus, type Status } from "../operate/status.ts";
import { explainOutage } from "../operate/tools.ts";
import { troublesOf, type Trouble } from "../operate/troubles.ts";
import { systemClock } from "../runtime/clock.ts";
import { counted } from "../runtime/counted.ts";
import { iso, isoOrNull } from "../runtime/instant.ts";
import { proposalJson, proposalText, textOf } from "./doubt-lines.ts";
import { newCommand, type Io } from "./io.ts";
import { withTool } from "./tool.ts";

const stateOf = (entry: ControlEntry | undefined, nowMs: number): object => {
  if (!entry) return { paused: false, last: null };
  const { says, by, note, atMs, untilMs } = entry;
  const last = { says, by, note, at: iso(atMs), until: isoOrNull(untilMs) };
  return { paused: isPause(entry, nowMs), last };
};

const troubleLines = ({ tone, what, more }: Trouble): string[] => [
  `${tone === "bad" ? "TROUBLE" : "WARNING"}: ${what}.`,
  `  ${textOf(more)}`,
];

const flowLines = ({ commands, reconcile, deadLetters }: Status, topic: string): string[] => {
  const { group, state, members, lag, partitions } = commands;
  const leader = reconcile.leader ? `${reconcile.leader.host} is the leader` : "no replica is the leader";
  const behind = (count: number): string => `${counted(count, "command")} behind`;
  return [
    `group ${group}: ${state}, ${counted(members.length, "member")}, ${behind(lag)}`,
    ...members.map(
      ({ clientId, host, partitions: assigned }) =>
        `  ${host}  ${clientId}  partitions ${assigned[topic]?.join(" ") ?? "none"}`,
    ),
    ...partitions.flatMap((each) =>
      each.lag > 0 ? `  ${topic}[${each.partition}]: ${behind(each.lag)}` : [],
    ),
    `group ${reconcile.group}: ${reconcile.state}, ${leader}`,
    deadLetters === null
      ? "Dead letters are not known: their topic does not exist."
      : `${counted(deadLetters.records, "dead letter")}, ${deadLetters.lastDay} of the last day`,
  ];
};

const status = (io: Io, { json = false }: { json?: boolean }): Promise<void> =>
  withTool(io, async (tools) => {
    const [report, entries] = await Promise.all([readStatus(tools), readPauses(tools)]);
    // There is no journal where the flow commands does not run.
    const warn = (why: string): void => io.err(`Doubts are not counted: ${why}`);
    const counting = explainOutage(tools.config, listDoubts(tools, 0), io.stopped);
    const waiting = await askOrWarn({ warn }, counting, null);
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
    const facts = { status: report, pauses: entries, doubts: waiting?.numbers ?? null };
    troublesOf(facts, tools.config, nowMs).flatMap(troubleLines).forEach(io.out);
    flowLines(report, tools.config.topics.commands).forEach(io.out);
    if (!PAUSABLE.some((flow) => isPause(entries.get(flow), nowMs))) io.out("Nothing is paused by a person.");
    if (waiting?.numbers.doubts === 0) io.out("No command is in doubt.");
    waiting?.proposals.map(proposalText).forEach(io.out);
  });

export const statusCommand = (io: Io): Command =>
  newCommand("status", "Show what is paused, who takes commands, what is in doubt.", "status")
    .option("--json", "print one JSON object")
    .action((flags: { json?: boolean }) => status(io, flags));
