import { Command } from "commander";
import type { ToolServices } from "../operate/tool-services.ts";
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
import { messageOf, UsageError } from "../runtime/errors.ts";
import { sentenceOf, type PartnerHealth } from "../runtime/health.ts";
import { iso, isoOrNull } from "../runtime/instant.ts";
import { describeOutage, isRegistryError } from "../kafka/wire/outage.ts";
import { proposalJson, proposalText } from "./doubt-lines.ts";
import { examples, EXIT, sayProgress, type Exit, type ExitCode, type Io } from "./io.ts";
import { lastPause } from "./pause.ts";
import { withTool } from "./tool.ts";

/** Whether a flow is paused, for people. */
const pauseLine = (flow: Pausable, entry: ControlEntry | undefined, nowMs: number): string =>
  entry && isPause(entry, nowMs) ? `${flow} PAUSED by ${lastPause(entry)}` : `${flow} not paused`;

/** Whether a flow is paused, for JSON output. */
const stateOf = (entry: ControlEntry | undefined, nowMs: number): object => {
  if (!entry) return { paused: false, last: null };
  const { says, by, note, atMs, untilMs } = entry;
  const last = { says, by, note, at: iso(atMs), until: isoOrNull(untilMs) };
  return { paused: isPause(entry, nowMs), last };
};

const behind = (lag: number): string => `${counted(lag, "command")} behind`;

/** That nobody takes commands; null where somebody does. */
const nobodyLine = ({ group, state, members, lag }: Status["commands"], topic: string): string | null => {
  const hasPartitions = members.some(({ partitions }) => (partitions[topic] ?? []).length > 0);
  if (hasPartitions || (members.length > 0 && state !== "Stable")) return null;
  const why = members.length === 0 ? "has no member" : `has no member with a partition of ${topic}`;
  return (
    `NOBODY TAKES COMMANDS: group ${group} ${why} (${state}), ${behind(lag)}. Where commands are wanted, ` +
    "start `cambio-bridge serve` with commands in FLOWS, and see TOPIC_COMMANDS; /readyz of one that " +
    "runs says what it lacks."
  );
};

const PARTNER_HEADS: Readonly<Record<PartnerHealth["kind"], string>> = {
  partnerFails: "THE PARTNER FAILS",
  acceptsHeld: "ACCEPTS ARE HELD BACK",
  doubtOpen: "ACCEPTS WAIT UNTIL A DOUBT IS RESOLVED",
  rateUsedUp: "THE RATE IS USED UP",
};

/** Who runs the flows, for people. `topic`: of the commands. */
export const flowLines = ({ commands, reconcile, deadLetters, partner }: Status, topic: string): string[] => {
  const { group, state, members, lag, unowned } = commands;
  const nobody = nobodyLine(commands, topic);
  const said = `${state}, ${counted(members.length, "member")}`;
  const leader = reconcile.leader ? `${reconcile.leader.host} is the leader` : "NOBODY RECONCILES";
  return [
    nobody ?? `group ${group}, ${behind(lag)}: ${said}`,
    ...members.map(
      ({ clientId, host, partitions }) =>
        `  ${host}  ${clientId}  partitions ${partitions[topic]?.join(" ") ?? "none"}`,
    ),
    ...partner.map((health) => `${PARTNER_HEADS[health.kind]}: ${sentenceOf(health)}`),
    ...commands.partitions
      .filter((each) => each.lag > 0 || (nobody === null && unowned.includes(each.partition)))
      .map((each) => {
        const owner = nobody === null && unowned.includes(each.partition) ? ", NO REPLICA HAS IT" : "";
        return `  ${topic}[${each.partition}]: ${behind(each.lag)}${owner}`;
      }),
    ...commands.unread.map((partition) => `  ${topic}[${partition}]: NO LEADER ANSWERS, nobody can read it`),
    ...commands.unreadable.map(
      ({ partition, offset }) =>
        `  ${topic}[${partition}]: THE BATCH AT OFFSET ${offset} CANNOT BE READ, the commands from there on wait: ` +
        'see "A batch that cannot be read" in docs/failures.md',
    ),
    `group ${reconcile.group}: ${reconcile.state}, ${leader}`,
    deadLetters === null
      ? "Dead letters are not known: their topic does not exist."
      : `${counted(deadLetters.records, "dead letter")}, ${deadLetters.lastDay} of the last day: see ` +
        "`cambio-bridge dead-letters list`",
  ];
};

const doubtsLine = ({ doubts, oldestSinceMs }: DoubtNumbers): string =>
  oldestSinceMs === null
    ? "No command is in doubt."
    : `${doubts === 1 ? "1 COMMAND" : `${doubts} COMMANDS`} IN DOUBT, the oldest since ` +
      `${iso(oldestSinceMs)}: see \`cambio-bridge doubts\``;

/** Why a command is not being executed now, for people; null where nothing is known to keep it from that. */
export const whyNoCommands = async (
  tool: ToolServices,
  request: object,
  signal: AbortSignal,
): Promise<string | null> => {
  const nothing = (): null => null;
  const [known, entries] = await Promise.all([
    askStatus(tool, signal).catch(nothing),
    askPauses({ ...tool, warn: nothing }, signal).catch(nothing),
  ]);
  const isAccept = "cambio.bridge.v1.AcceptQuote" in request;
  const nowMs = systemClock.now();
  for (const flow of isAccept ? (["commands", "accepts"] as const) : (["commands"] as const)) {
    const entry = entries?.get(flow);
    if (isPause(entry, nowMs)) return pauseLine(flow, entry, nowMs);
  }
  return known && nobodyLine(known.commands, tool.config.topics.commands);
};

type Waiting = Pick<Awaited<ReturnType<typeof listDoubts>>, "numbers" | "proposals">;

/** Null where there is no journal, as without the flow commands, or where it cannot be read. */
const waitingOrNull = (io: Io, tool: ToolServices): Promise<Waiting | null> =>
  listDoubts(tool, { count: 0, onProgress: sayProgress(io, "the journal") }, io.stopped).catch(
    (error: unknown) => {
      const isRegistry = isRegistryError(error);
      if (!(error instanceof UsageError) && !isRegistry) throw error;
      io.err(`Doubts are not counted: ${isRegistry ? describeOutage(error, tool.config) : messageOf(error)}`);
      return null;
    },
  );

const status = (io: Io, json: boolean): Promise<ExitCode> =>
  withTool(io, async (tool) => {
    const [known, entries, waiting] = await Promise.all([
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
      io.out(JSON.stringify({ flows, ...known, doubts, proposals }));
      return EXIT.done;
    }
    for (const flow of PAUSABLE) io.out(pauseLine(flow, entries.get(flow), nowMs));
    flowLines(known, tool.config.topics.commands).forEach(io.out);
    if (waiting) io.out(doubtsLine(waiting.numbers));
    waiting?.proposals.map(proposalText).forEach(io.out);
    return EXIT.done;
  });

export const statusCommand = (io: Io, exit: Exit): Command =>
  new Command("status")
    .description("Show what is paused, who takes commands, what is in doubt.")
    .option("--json", "print one JSON object")
    .addHelpText("after", examples("status"))
    .action(async ({ json = false }: { json?: boolean }) => exit(await status(io, json)));
