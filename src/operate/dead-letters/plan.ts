import { noSuchTopic, withCluster } from "../../kafka/cluster/with-cluster.ts";
import type { Incoming } from "../../kafka/record.ts";
import { UsageError } from "../../runtime/errors.ts";
import { iso } from "../../runtime/instant.ts";
import { objectOf } from "../../runtime/json.ts";
import { positionText } from "../../runtime/record-position.ts";
import { AUDIT_PARTITION, auditReading, readAuditEntry, textOrEmpty } from "../audit/entry.ts";
import { readTopic } from "../read-topic.ts";
import type { Tools } from "../tools.ts";
import { explainReason, type DeadLetter } from "./letter.ts";
import { eachLetter, type Selection } from "./read.ts";

type EarlierReplay = { by: string; atMs: number; where: string };

/** An announced letter does not count as sent: what a killed replay had announced may be sent once more. */
export const sentLetters = () => {
  const sent = new Map<string, EarlierReplay>();
  const announcements = new Map<string, { actionId: string; by: string }>();
  return {
    take: (record: Incoming): void => {
      const entry = readAuditEntry(record);
      if (entry?.action !== "replay") return;
      const { actionId, by, outcome, parameters } = entry;
      const announced = Array.isArray(parameters["letters"]) ? parameters["letters"].map(String) : [];
      for (const ref of announced)
        if (outcome === null) announcements.set(ref, announcements.get(ref) ?? { actionId, by });
        else if (announcements.get(ref)?.actionId === actionId) announcements.delete(ref);
      const letters = objectOf(objectOf(outcome?.["effect"])?.["letters"]) ?? {};
      for (const [ref, where] of Object.entries(letters))
        if (!sent.has(ref)) sent.set(ref, { by, atMs: record.timestampMs, where: textOrEmpty(where) });
    },
    earlier: (ref: string): EarlierReplay | undefined => sent.get(ref),
    /** Who announced it and has not said yet what came of it. */
    announcer: (ref: string): string | undefined => announcements.get(ref)?.by,
    /** Whoever announced a letter and was killed keeps nobody away. */
    forgetAnnounced: (): void => announcements.clear(),
  };
};

/** Reads which of these letters were replayed. `next`: the offset up to which the audit topic was read. */
const readSent = async (tools: Tools, letters: readonly DeadLetter[]) => {
  const sent = sentLetters();
  if (letters.length === 0) return { sent, next: 0 };
  const nowMs = tools.clock.now();
  // Nobody replayed a letter before it was written.
  const oldestMs = letters.reduce((oldest, { timestampMs }) => Math.min(oldest, timestampMs), nowMs);
  const ranges = await readTopic(tools, auditReading(tools, oldestMs), sent.take);
  sent.forgetAnnounced();
  return { sent, next: ranges.get(AUDIT_PARTITION)?.endOffset ?? 0 };
};

/** `why` groups letters; `detail` is about this one. `wasSent`: it is where it was to go. */
type Skipped = { letter: DeadLetter; why: string; detail?: string; wasSent?: true };

/** What a replay sends, in order, and what it skips. `unknown`: refs without a letter. */
export type Plan = {
  send: readonly DeadLetter[];
  skipped: readonly Skipped[];
  unknown: readonly string[];
};

/** What decides whether a letter is sent. `isNamed`: the letters were named by their refs. */
type PlanRules = { isNamed: boolean; commands: string; earlier: (ref: string) => EarlierReplay | undefined };

/** All letters of a replay are held in memory. */
const MAX_LETTERS = 100_000;

const obstacleOf = (
  { place, reason, source, origin, missing, obstacle }: DeadLetter,
  { isNamed, commands, earlier }: PlanRules,
): Omit<Skipped, "letter"> | null => {
  if (source === "unknown") return { why: "no dead letter of the bridge" };
  if (reason === "CONTRADICTING_ANSWER") return { why: "an answer, not a command (CONTRADICTING_ANSWER)" };
  if (reason === "COMMAND_ID_REUSED" && !isNamed)
    return {
      why: "would be refused again (COMMAND_ID_REUSED)",
      detail: "to send it all the same, name it by its REF",
    };
  if (missing !== null) return { why: "cut, because it was too large for the topic", detail: missing };
  if (source === "command" && origin === null) return { why: "no origin" };
  // Letters may only go back to the commands topic: records in the topics that the bridge writes must not be forged.
  if (origin !== null && origin.topic !== commands)
    return { why: "from another topic than TOPIC_COMMANDS of this configuration", detail: origin.topic };
  if (obstacle !== null) return { why: "would come to nothing", detail: obstacle };
  const first = earlier(positionText(place));
  if (!first) return null;
  const detail = `${iso(first.atMs)} by ${first.by}: ${first.where}`;
  return { why: "replayed before", detail, wasSent: true };
};

/** Sorts commands as in their partition, so that each key keeps its order; notifications as they were received. */
export const inOriginalOrder = (a: DeadLetter, b: DeadLetter): number =>
  (a.receivedAtMs ?? 0) - (b.receivedAtMs ?? 0) ||
  (a.origin?.partition ?? 0) - (b.origin?.partition ?? 0) ||
  (a.origin?.offset ?? 0) - (b.origin?.offset ?? 0) ||
  a.place.partition - b.place.partition ||
  a.place.offset - b.place.offset;

export const planOf = (
  letters: readonly DeadLetter[],
  rules: PlanRules,
  unknown: readonly string[] = [],
): Plan => {
  const send: DeadLetter[] = [];
  const skipped: Skipped[] = [];
  for (const letter of [...letters].sort(inOriginalOrder)) {
    const obstacle = obstacleOf(letter, rules);
    if (obstacle) skipped.push({ letter, ...obstacle });
    else send.push(letter);
  }
  return { send, skipped, unknown };
};

export const planLines = ({ send, skipped, unknown }: Plan): string[] => {
  const lines = [`${send.length} of ${send.length + skipped.length} dead letters are to be sent.`];
  for (const [reason, alike] of Map.groupBy(send, (each) => each.reason))
    lines.push(`  to be sent: ${alike.length} ${reason}. ${explainReason(reason)}`);
  for (const [why, alike] of Map.groupBy(skipped, (each) => each.why))
    for (const { letter, detail = "" } of alike.slice(0, 1)) {
      const example = `${alike.length > 1 ? "the first is " : ""}${positionText(letter.place)}`;
      lines.push(`  not sent: ${alike.length} ${why}, ${example}${detail && ` (${detail})`}`);
    }
  for (const ref of unknown) lines.push(`  There is no dead letter ${ref}.`);
  return lines;
};

/** `next` is the offset up to which the audit topic was read. */
export const planReplay = async (tools: Tools, selection: Selection) => {
  const { commands, transactionStatus } = tools.config.topics;
  const letters: DeadLetter[] = [];
  await eachLetter(tools, selection, (letter) => {
    if (letters.push(letter) > MAX_LETTERS)
      throw new UsageError(`More than ${MAX_LETTERS} dead letters are meant: choose a shorter time.`);
  });
  const { sent, next } = await readSent(tools, letters);
  const refs = new Set(letters.map(({ place }) => positionText(place)));
  const unknown = (selection.refs ?? []).map(positionText).filter((ref) => !refs.has(ref));
  const rules = { isNamed: selection.refs !== undefined, commands, earlier: sent.earlier };
  const plan = planOf(letters, rules, unknown);
  const topics = new Set(
    plan.send.map(({ source }) => (source === "command" ? commands : transactionStatus)),
  );
  const existing = await withCluster(tools, (cluster) => cluster.find([...topics]));
  for (const topic of topics) if (!existing.has(topic)) throw noSuchTopic(topic);
  return { plan, sent, next };
};
export type PlannedReplay = Awaited<ReturnType<typeof planReplay>>;
