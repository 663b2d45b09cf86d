import { noSuchTopic, withCluster } from "../../services/with-cluster.ts";
import { UsageError } from "../../runtime/errors.ts";
import { iso } from "../../runtime/instant.ts";
import type { Connections, OnProgress } from "../connections.ts";
import type { ReadingHooks } from "../read-topic.ts";
import { inOriginalOrder, refOf, type DeadLetter } from "./letter.ts";
import { eachLetter, type Selection } from "./read.ts";
import { readSent, type Sent, type SentLetters } from "./sent.ts";

/** `maxLetters`: refuses a larger replay, because all letters are held in memory. */
export type ReplayRequest = { letters: Selection; maxLetters?: number };

/** What decides whether a letter is sent. */
export type PlanRules = {
  /** Whether the letters were named by their refs. */
  isNamed: boolean;
  /** The topics that commands and notifications go back to. */
  commandsTopic: string;
  eventsTopic: string;
  /** COMMANDS_MAX_AGE. */
  maxAgeMs: number;
  nowMs: number;
  sent: (ref: string) => readonly Sent[];
};

const TOO_OLD =
  "older than COMMANDS_MAX_AGE: a command among them that can be read is answered COMMAND_TOO_OLD, without a call";
const ANSWERED =
  "already answered REJECTED (UNREADABLE_COMMAND): one that can be read now is executed. Ask its sender first whether another command was sent in its place";
const REUSED =
  "under a commandId that another command has: refused again for as long as the journal knows that one";

/** Why a letter is not sent, and what to say of this one; null where it is to be sent. */
const obstacleOf = (
  { place, reason, source, origin, missing, obstacle }: DeadLetter,
  { commandsTopic, isNamed, sent }: PlanRules,
): Omit<Skipped, "letter"> | null => {
  if (source === "unknown") return { why: "no dead letter of the bridge" };
  if (reason === "CONTRADICTING_ANSWER") return { why: "an answer, not a command (CONTRADICTING_ANSWER)" };
  if (missing !== null) return { why: "cut, because it was too large for the topic", detail: missing };
  if (source === "command" && origin === null) return { why: "no origin" };
  // Letters may only go back to the commands topic: records in the topics that the bridge writes must not be forged.
  if (origin !== null && origin.topic !== commandsTopic)
    return { why: "from another topic than TOPIC_COMMANDS of this configuration", detail: origin.topic };
  if (reason === "COMMAND_ID_REUSED" && !isNamed)
    return { why: "would be refused again (COMMAND_ID_REUSED)", detail: "its REF sends it all the same" };
  if (obstacle !== null) return { why: "would come to nothing", detail: obstacle };
  const [first] = sent(refOf(place));
  if (!first) return null;
  return {
    why: "replayed before",
    detail: `${iso(first.atMs)} by ${first.by}: ${first.where}`,
    wasSent: true,
  };
};

const warningOf = ({ reason, origin }: DeadLetter, { nowMs, maxAgeMs }: PlanRules): string | null => {
  if (reason === "COMMAND_ID_REUSED") return REUSED;
  if (origin !== null && nowMs - origin.timestampMs > maxAgeMs) return TOO_OLD;
  return reason === "UNREADABLE_COMMAND" ? ANSWERED : null;
};

export type Planned = { letter: DeadLetter; topic: string };

/** `why` groups letters; `detail` is about this one. `wasSent`: it is where it was to go. */
export type Skipped = { letter: DeadLetter; why: string; detail?: string; wasSent?: boolean };

/** What a replay sends, in order, and what it skips. `unknown`: refs without a letter. */
export type Plan = {
  send: readonly Planned[];
  skipped: readonly Skipped[];
  unknown: readonly string[];
  /** The number of letters by warning. */
  warnings: ReadonlyMap<string, number>;
};

export const planOf = (
  letters: readonly DeadLetter[],
  rules: PlanRules,
  unknown: readonly string[],
): Plan => {
  const send: Planned[] = [];
  const skipped: Skipped[] = [];
  const warnings = new Map<string, number>();
  for (const letter of [...letters].sort(inOriginalOrder)) {
    const obstacle = obstacleOf(letter, rules);
    if (obstacle) {
      skipped.push({ letter, ...obstacle });
      continue;
    }
    send.push({ letter, topic: letter.origin?.topic ?? rules.eventsTopic });
    const warning = warningOf(letter, rules);
    if (warning !== null) warnings.set(warning, (warnings.get(warning) ?? 0) + 1);
  }
  return { send, skipped, unknown, warnings };
};

const counted = (what: readonly string[]): string => {
  const counts = new Map<string, number>();
  for (const each of what) counts.set(each, (counts.get(each) ?? 0) + 1);
  return [...counts].map(([each, count]) => `${count} ${each}`).join(", ");
};

/** The plan as lines of text. */
export const planLines = ({ send, skipped, unknown, warnings }: Plan): string[] => {
  const lines = [`${send.length} of ${send.length + skipped.length} dead letters are to be sent.`];
  for (const topic of new Set(send.map((each) => each.topic))) {
    const there = send.filter((each) => each.topic === topic).map(({ letter }) => letter.reason);
    lines.push(`  to ${topic}: ${counted(there)}`);
  }
  for (const [warning, count] of warnings) lines.push(`  Warning: ${count} ${warning}.`);
  for (const [why, alike] of Map.groupBy(skipped, (each) => each.why))
    for (const { letter, detail = "" } of alike.slice(0, 1)) {
      const example = `${alike.length > 1 ? "the first is " : ""}${refOf(letter.place)}`;
      lines.push(`  not sent: ${alike.length} ${why}, ${example}${detail && ` (${detail})`}`);
    }
  for (const ref of unknown) lines.push(`  There is no dead letter ${ref}.`);
  return lines;
};

/** `next`: the offset up to which the audit topic was read for it. */
export type Made = { plan: Plan; sent: SentLetters; next: number };

/** Reads the letters that are meant, and what the audit topic says of them. */
export const makePlan = async (
  connections: Connections,
  { letters: selection, maxLetters = Infinity }: ReplayRequest,
  hooks: ReadingHooks,
): Promise<Made> => {
  const { config, services } = connections;
  const letters: DeadLetter[] = [];
  const see = (letter: DeadLetter): void => {
    if (letters.length >= maxLetters)
      throw new UsageError(
        `More than ${maxLetters} dead letters are meant: choose a shorter time, or use \`cambio-bridge dead-letters replay\`.`,
      );
    letters.push(letter);
  };
  await eachLetter(connections, selection, see, hooks);
  const { sent, next } = await readSent(connections, letters, hooks.signal);
  const found = new Set(letters.map(({ place }) => refOf(place)));
  const unknown = (selection.refs ?? []).map(refOf).filter((ref) => !found.has(ref));
  const rules = {
    isNamed: selection.refs !== undefined,
    commandsTopic: config.topics.commands,
    eventsTopic: config.topics.transactionStatus,
    maxAgeMs: config.commands.maxAgeMs,
    nowMs: services.clock.now(),
    sent: sent.of,
  };
  const plan = planOf(letters, rules, unknown);
  const there = await withCluster(services, (cluster) => cluster.find(plan.send.map(({ topic }) => topic)));
  const absent = plan.send.find(({ topic }) => !there.has(topic));
  if (absent) throw noSuchTopic(absent.topic);
  return { plan, sent, next };
};

/** What a replay would send. Needs no operator. */
export const planReplay = async (
  connections: Connections,
  request: ReplayRequest,
  { onProgress }: { onProgress?: OnProgress },
  signal: AbortSignal,
): Promise<Plan> => (await makePlan(connections, request, { signal, onProgress })).plan;
