import { isPause, pauses as askPauses, type ControlEntry, type Pausable } from "../operate/pause.ts";
import { status as askStatus, type Status } from "../operate/status.ts";
import type { ToolServices } from "../operate/tool-services.ts";
import { systemClock } from "../runtime/clock.ts";
import { counted } from "../runtime/counted.ts";
import { sentenceOf, type PartnerHealth } from "../runtime/health.ts";
import { iso } from "../runtime/instant.ts";

export const endText = (untilMs: number | null): string =>
  untilMs === null ? "until it is resumed" : `until ${iso(untilMs)}`;

/** Who paused it, since when, until when and why. Quoted, because people wrote it. */
const pauseText = ({ by, note, atMs, untilMs }: ControlEntry): string =>
  `${JSON.stringify(by)} since ${iso(atMs)}, ${endText(untilMs)}: ${JSON.stringify(note)}`;

export const pauseLine = (flow: Pausable, entry: ControlEntry | undefined, nowMs: number): string =>
  entry && isPause(entry, nowMs) ? `${flow} PAUSED by ${pauseText(entry)}` : `${flow} not paused by a person`;

const behind = (lag: number): string => `${counted(lag, "command")} behind`;

const nobodyLine = ({ group, state, members, lag }: Status["commands"], topic: string): string | null => {
  const hasPartitions = members.some(({ partitions }) => (partitions[topic] ?? []).length > 0);
  if (hasPartitions || (members.length > 0 && state !== "Stable")) return null;
  const why = members.length === 0 ? "has no member" : `has no member with a partition of ${topic}`;
  return (
    `NOBODY TAKES COMMANDS: group ${group} ${why} (${state}), ${behind(lag)}. Where a replica runs, see its ` +
    "/readyz first: it says what it lacks. Where commands are wanted and none runs, start `cambio-bridge serve` " +
    "with commands in FLOWS, and see TOPIC_COMMANDS."
  );
};

const PARTNER_HEADS: Readonly<Record<PartnerHealth["kind"], string>> = {
  partnerFails: "THE PARTNER FAILS",
  acceptsHeld: "ACCEPTS ARE HELD BACK",
  doubtOpen: "ACCEPTS WAIT UNTIL A DOUBT IS RESOLVED",
  rateUsedUp: "THE RATE IS USED UP",
};

export const flowLines = ({ commands, reconcile, deadLetters, partner }: Status, topic: string): string[] => {
  const { group, state, members, lag, unowned } = commands;
  const nobody = nobodyLine(commands, topic);
  const groupState = `${state}, ${counted(members.length, "member")}`;
  const leader = reconcile.leader ? `${reconcile.leader.host} is the leader` : "NOBODY RECONCILES";
  return [
    nobody ?? `group ${group}, ${behind(lag)}: ${groupState}`,
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

/** Why a command is not being executed now, for people; null where nothing is known to keep it from that. */
export const whyNoCommands = async (
  tool: ToolServices,
  request: object,
  signal: AbortSignal,
): Promise<string | null> => {
  const nothing = (): null => null;
  const [flows, entries] = await Promise.all([
    askStatus(tool, signal).catch(nothing),
    askPauses({ ...tool, warn: nothing }, signal).catch(nothing),
  ]);
  const isAccept = "cambio.bridge.v1.AcceptQuote" in request;
  const nowMs = systemClock.now();
  for (const flow of isAccept ? (["commands", "accepts"] as const) : (["commands"] as const)) {
    const entry = entries?.get(flow);
    if (isPause(entry, nowMs)) return pauseLine(flow, entry, nowMs);
  }
  const [held] = (isAccept ? (flows?.partner ?? []) : []).filter(
    ({ kind }) => kind === "acceptsHeld" || kind === "doubtOpen",
  );
  if (held) return `${PARTNER_HEADS[held.kind]}: ${sentenceOf(held)}`;
  return flows && nobodyLine(flows.commands, tool.config.topics.commands);
};
