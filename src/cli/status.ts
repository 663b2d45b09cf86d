import { Command } from "commander";
import { controlTopic } from "../bridge/operator/control-topic.ts";
import { flowsStatus, type FlowsStatus } from "../bridge/operator/status.ts";
import { explainOutage } from "../bridge/outage.ts";
import type { Services } from "../bridge/services.ts";
import type { Config } from "../config/config.ts";
import { NEW_PROTOCOL, NEW_PROTOCOL_SAID } from "../kafka/cluster/found-group.ts";
import { isPause, PAUSABLE, type Pausable, type ControlEntry } from "../operator/control-entry.ts";
import { systemClock } from "../runtime/clock.ts";
import { counted } from "../runtime/counted.ts";
import { iso } from "../runtime/instant.ts";
import { examples } from "./help.ts";
import { EXIT, type ExitCode, type Io } from "./io.ts";
import { openTool } from "./tool.ts";

const TIMEOUT_MS = 30_000;

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
const nobodyLine = (
  { group, state, members, lag }: FlowsStatus["commands"],
  topic: string,
): string | null => {
  // Its members are not known, so it may be that somebody does.
  if (state === NEW_PROTOCOL) return null;
  if (members.length === 0)
    return `NOBODY TAKES COMMANDS: group ${group} has no member (${state}), ${behind(lag)}. Where commands are wanted, start \`cambio-bridge serve\` with commands in FLOWS; /readyz of one that runs says what it lacks.`;
  if (state === "Stable" && members.every(({ partitions }) => (partitions[topic] ?? []).length === 0))
    return `NOBODY TAKES COMMANDS: no member of group ${group} has a partition of ${topic}, ${behind(lag)}. See TOPIC_COMMANDS of the replicas.`;
  return null;
};

const commandsLine = (commands: FlowsStatus["commands"], topic: string): string => {
  const { group, state, members, lag } = commands;
  if (state === NEW_PROTOCOL)
    return `group ${group}, ${behind(lag)}: ${NEW_PROTOCOL_SAID}. See \`cambio-bridge doctor\`.`;
  return (
    nobodyLine(commands, topic) ??
    `group ${group}: ${state}, ${counted(members.length, "member")}, ${behind(lag)}`
  );
};

const reconcileLine = ({ group, state, members, leader }: FlowsStatus["reconcile"]): string =>
  members.length === 0 && state !== NEW_PROTOCOL
    ? `Nobody reconciles: group ${group} has no member (${state}).`
    : `group ${group}: ${state}, ${counted(members.length, "member")}, ${leader ? `${leader.host} is the leader` : "no leader"}`;

/** Who runs the flows, for people. `topic`: of the commands. */
export const flowLines = ({ commands, reconcile }: FlowsStatus, topic: string): string[] => [
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
  "",
  "Doubts are not counted here: see `cambio-bridge doubts`, or the console.",
];

/** Why no command is being executed now, for people; null where nothing is known to keep it from that. */
export const whyNoCommands = async (config: Config, services: Services): Promise<string | null> => {
  const nothing = (): null => null;
  const [flows, entries] = await Promise.all([
    flowsStatus(config, services).catch(nothing),
    controlTopic(config, services, nothing).entries().catch(nothing),
  ]);
  const pause = stateOf(entries?.get("commands"), systemClock.now());
  if (pause.paused) return pauseLine("commands", pause).replace(/ +/, " ");
  return flows && nobodyLine(flows.commands, config.topics.commands);
};

const status = async (io: Io, json: boolean): Promise<ExitCode> => {
  const { config, services } = openTool(io);
  const asking = Promise.all([
    flowsStatus(config, services),
    controlTopic(config, services, io.err).entries(),
  ]);
  const answered = systemClock.within(TIMEOUT_MS, io.stopped, asking);
  const [flows, entries] = await explainOutage(config, answered, io.stopped);
  const nowMs = systemClock.now();
  const pauses = PAUSABLE.map((flow) => [flow, stateOf(entries.get(flow), nowMs)] as const);
  if (json) io.out(JSON.stringify({ flows: Object.fromEntries(pauses), ...flows }));
  else
    for (const line of [
      ...pauses.map(([flow, state]) => pauseLine(flow, state)),
      ...flowLines(flows, config.topics.commands),
    ])
      io.out(line);
  return EXIT.done;
};

export const statusCommand = (io: Io, exit: (code: ExitCode) => void): Command =>
  new Command("status")
    .summary("Show what is paused, who takes commands, who reconciles.")
    .description("Show what is paused, who takes commands and how far they are, and who reconciles.")
    .option("--json", "print one JSON object")
    .addHelpText("after", examples("status"))
    .action(async ({ json = false }: { json?: boolean }) => exit(await status(io, json)));
