import { Command } from "commander";
import { NEW_PROTOCOL, NEW_PROTOCOL_SAID } from "../kafka/cluster/found-group.ts";
import type { Connections } from "../operate/connections.ts";
import { listDoubts, type DoubtNumbers } from "../operate/doubts/doubts.ts";
import {
  isPause,
  PAUSABLE,
  pauses as askPauses,
  type ControlEntry,
  type Pausable,
} from "../operate/pause.ts";
import { status as askStatus, type Status } from "../operate/status.ts";
import { systemClock } from "../runtime/clock.ts";
import { counted } from "../runtime/counted.ts";
import { OutageError, UsageError } from "../runtime/errors.ts";
import { iso, isoOrNull } from "../runtime/instant.ts";
import { examples } from "./help.ts";
import { EXIT, type ExitCode, type Io } from "./io.ts";
import { sayProgress } from "./progress.ts";
import { openTool } from "./tool.ts";

type LastAction = { by: string; note: string; says: ControlEntry["says"]; at: string; until: string | null };
type FlowState = { paused: boolean; last: LastAction | null };

const stateOf = (entry: ControlEntry | undefined, nowMs: number): FlowState => {
  if (!entry) return { paused: false, last: null };
  const { says, by, note, atMs, untilMs } = entry;
  const until = untilMs === null ? null : iso(untilMs);
  return { paused: isPause(entry, nowMs), last: { says, by, note, at: iso(atMs), until } };
};

/** Whether a flow is paused, for people. */
export const pauseLine = (flow: Pausable, { paused, last }: FlowState): string => {
  const name = flow.padEnd(10);
  if (!last) return `${name} not paused; nobody ever paused it`;
  // Quoted, because people wrote them.
  const [by, note] = [JSON.stringify(last.by), JSON.stringify(last.note)];
  if (paused)
    return `${name} PAUSED by ${by} since ${last.at}, until ${last.until ?? "it is resumed"}: ${note}`;
  return last.says === "resume"
    ? `${name} not paused; resumed by ${by} at ${last.at}: ${note}`
    : `${name} not paused; the pause of ${by} ended at ${last.until}`;
};

const behind = (lag: number): string => `${counted(lag, "command")} behind`;

/** That nobody takes commands; null where somebody does. */
const nobodyLine = ({ group, state, members, lag }: Status["commands"], topic: string): string | null => {
  // Its members are not known, so it may be that somebody does.
  if (state === NEW_PROTOCOL) return null;
  if (members.length === 0)
    return `NOBODY TAKES COMMANDS: group ${group} has no member (${state}), ${behind(lag)}. Where commands are wanted, start \`cambio-bridge serve\` with commands in FLOWS; /readyz of one that runs says what it lacks.`;
  if (state === "Stable" && members.every(({ partitions }) => (partitions[topic] ?? []).length === 0))
    return `NOBODY TAKES COMMANDS: no member of group ${group} has a partition of ${topic}, ${behind(lag)}. See TOPIC_COMMANDS of the replicas.`;
  return null;
};

const commandsLine = (commands: Status["commands"], topic: string): string => {
  const { group, state, members, lag } = commands;
  if (state === NEW_PROTOCOL)
    return `group ${group}, ${behind(lag)}: ${NEW_PROTOCOL_SAID}. See \`cambio-bridge doctor\`.`;
  return (
    nobodyLine(commands, topic) ??
    `group ${group}: ${state}, ${counted(members.length, "member")}, ${behind(lag)}`
  );
};

const reconcileLine = ({ group, state, members, leader }: Status["reconcile"]): string =>
  members.length === 0 && state !== NEW_PROTOCOL
    ? `Nobody reconciles: group ${group} has no member (${state}).`
    : `group ${group}: ${state}, ${counted(members.length, "member")}, ${leader ? `${leader.host} is the leader` : "no leader"}`;

const deadLettersLine = (found: Status["deadLetters"]): string =>
  found === null
    ? "Dead letters are not known: their topic does not exist."
    : `${counted(found.records, "dead letter")}, ${found.lastDay} of the last day${found.records === 0 ? "" : ": see `cambio-bridge dead-letters list`"}`;

export const doubtsLine = ({ doubts, oldestSinceMs }: DoubtNumbers): string =>
  oldestSinceMs === null
    ? "No command is in doubt."
    : `${doubts === 1 ? "1 COMMAND" : `${doubts} COMMANDS`} IN DOUBT, the oldest since ${iso(oldestSinceMs)}: see \`cambio-bridge doubts\``;

/** Who runs the flows, for people. `topic`: of the commands. */
export const flowLines = ({ commands, reconcile, deadLetters }: Status, topic: string): string[] => [
  "",
  commandsLine(commands, topic),
  ...commands.members.map(
    ({ clientId, host, partitions }) =>
      `  ${host}  ${clientId}  partitions ${partitions[topic]?.join(" ") ?? "none"}`,
  ),
  ...commands.partitions
    .filter(({ lag }) => lag > 0)
    .map(
      ({ partition, committed, end, lag }) =>
        `  ${topic}[${partition}] ${committed === null ? "nothing committed" : `committed ${committed}`}, end ${end}: ${behind(lag)}`,
    ),
  reconcileLine(reconcile),
  deadLettersLine(deadLetters),
];

/** Why a command is not being executed now, for people; null where nothing is known to keep it from that. */
export const whyNoCommands = async (
  tool: Connections,
  request: object,
  signal: AbortSignal,
): Promise<string | null> => {
  const nothing = (): null => null;
  const [known, entries] = await Promise.all([
    askStatus(tool, signal).catch(nothing),
    askPauses(tool, { warn: nothing }, signal).catch(nothing),
  ]);
  const pausable =
    "cambio.bridge.v1.AcceptQuote" in request ? (["commands", "accepts"] as const) : (["commands"] as const);
  for (const flow of pausable) {
    const pause = stateOf(entries?.get(flow), systemClock.now());
    if (pause.paused) return pauseLine(flow, pause).replace(/ +/, " ");
  }
  return known && nobodyLine(known.commands, tool.config.topics.commands);
};

/** Null where there is no journal, as without the flow commands, or where it cannot be read: the rest is worth showing. */
const numbersOrNull = async (io: Io, tool: Connections): Promise<DoubtNumbers | null> => {
  const onProgress = sayProgress(io, "the journal");
  try {
    return (await listDoubts(tool, { count: 0, onProgress }, io.stopped)).numbers;
  } catch (error) {
    if (!(error instanceof UsageError) || error instanceof OutageError || io.stopped.aborted) throw error;
    io.err(`Doubts are not counted: ${error.message}`);
    return null;
  }
};

const status = async (io: Io, json: boolean): Promise<ExitCode> => {
  const tool = openTool(io);
  const [known, entries, numbers] = await Promise.all([
    askStatus(tool, io.stopped),
    askPauses(tool, { warn: io.err }, io.stopped),
    numbersOrNull(io, tool),
  ]);
  const nowMs = systemClock.now();
  const pauses = PAUSABLE.map((flow) => [flow, stateOf(entries.get(flow), nowMs)] as const);
  if (json) {
    const doubts = numbers && {
      count: numbers.doubts,
      oldestSince: isoOrNull(numbers.oldestSinceMs),
      underWay: numbers.underWay,
    };
    io.out(JSON.stringify({ flows: Object.fromEntries(pauses), ...known, doubts }));
    return EXIT.done;
  }
  for (const line of [
    ...pauses.map(([flow, state]) => pauseLine(flow, state)),
    ...flowLines(known, tool.config.topics.commands),
    ...(numbers === null ? [] : [doubtsLine(numbers)]),
  ])
    io.out(line);
  return EXIT.done;
};

export const statusCommand = (io: Io, exit: (code: ExitCode) => void): Command =>
  new Command("status")
    .summary("Show what is paused, who takes commands, what is in doubt.")
    .description(
      "Show what is paused, who takes commands and how far they are, who reconciles, and how many doubts and dead letters there are.",
    )
    .option("--json", "print one JSON object")
    .addHelpText("after", examples("status"))
    .action(async ({ json = false }: { json?: boolean }) => exit(await status(io, json)));
