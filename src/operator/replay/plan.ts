import type { Standing } from "./claims.ts";
import { refOf, type Letter } from "./dead-letter.ts";

/** What decides whether a letter is sent. */
export type PlanRules = {
  /** Whether each letter was asked for by its ref. */
  isNamed: boolean;
  /** Whether letters that were sent before are sent once more. */
  again: boolean;
  /** Where commands may be sent: back to where they came from. */
  commandTopics: readonly string[];
  eventsTopic: string;
  maxAgeMs: number;
  nowMs: number;
};

/** `why` is one of few; `detail` tells letters of one kind apart. */
export type Skipped = { why: string; detail: string };
export type Decided =
  | { kind: "send"; topic: string; warnings: readonly string[] }
  /** `heldIn`: the topic that somebody else is sending it to right now. */
  | ({ kind: "skip"; heldIn?: string } & Skipped);

const skip = (why: string, detail = ""): Decided => ({ kind: "skip", why, detail });

const TOO_OLD =
  "older than COMMANDS_MAX_AGE: a command among them that can be read is answered COMMAND_TOO_OLD, without a call";
const UNSETTLED = "claimed by a replay that did not finish: those that stand in the topic are not sent again";
const REUSED =
  "under a commandId that another command has: refused again for as long as the journal knows that one";

/** How a letter stands, for people; null where it is free to be sent. */
export const heldBy = (standing: Standing): Skipped | null => {
  switch (standing.kind) {
    case "sent": {
      const { by, atMs, where } = standing.sent;
      return { why: "replayed before", detail: `${new Date(atMs).toISOString()} by ${by}: ${where}` };
    }
    case "atWork":
      return {
        why: "being replayed by somebody else",
        detail: `${standing.by}, since ${new Date(standing.atMs).toISOString()}`,
      };
    case "free":
    case "unsettled":
      return null;
  }
};

/** Whether a letter is sent again, where to, and why not. */
export const decide = (letter: Letter, standing: Standing, rules: PlanRules): Decided => {
  const { reason, source, origin, missing, obstacle } = letter;
  if (source === "unknown") return skip("no dead letter of the bridge");
  if (reason === "CONTRADICTING_ANSWER") return skip("an answer, not a command (CONTRADICTING_ANSWER)");
  if (missing !== null) return skip("parts are missing", missing);
  if (source === "command" && (origin === null || origin.partition < 0)) return skip("no origin");
  if (origin !== null && !rules.commandTopics.includes(origin.topic))
    return skip(
      "from another topic than this configuration's commands",
      `${origin.topic}: name it with --topic`,
    );
  if (reason === "COMMAND_ID_REUSED" && !rules.isNamed)
    return skip("would be refused again (COMMAND_ID_REUSED)", "name it by its REF to send it all the same");
  if (obstacle !== null) return skip("would come to nothing", obstacle);
  const held = heldBy(standing);
  const topic = origin?.topic ?? rules.eventsTopic;
  if (held && standing.kind === "atWork") return { kind: "skip", ...held, heldIn: topic };
  if (held && !rules.again) return { kind: "skip", ...held };
  const isOld = origin !== null && rules.nowMs - origin.timestampMs > rules.maxAgeMs;
  const warnings = [
    ...(standing.kind === "unsettled" ? [UNSETTLED] : []),
    ...(isOld ? [TOO_OLD] : []),
    ...(reason === "COMMAND_ID_REUSED" ? [REUSED] : []),
  ];
  return { kind: "send", topic, warnings };
};

export type Planned = { letter: Letter; topic: string };

/** What is to be sent, in order, and what is not. */
export type Plan = {
  send: readonly Planned[];
  skipped: readonly { letter: Letter; skipped: Skipped }[];
  /** Those of the skipped that somebody else is sending: what follows on them by its key has to wait. */
  held: readonly Planned[];
  /** How many letters each warning is about. */
  warnings: ReadonlyMap<string, number>;
};

export const planOf = (letters: readonly Letter[], decideOn: (letter: Letter) => Decided): Plan => {
  const send: Planned[] = [];
  const skipped: { letter: Letter; skipped: Skipped }[] = [];
  const held: Planned[] = [];
  const warnings = new Map<string, number>();
  for (const letter of letters) {
    const decided = decideOn(letter);
    if (decided.kind === "skip") {
      skipped.push({ letter, skipped: decided });
      if (decided.heldIn !== undefined) held.push({ letter, topic: decided.heldIn });
      continue;
    }
    send.push({ letter, topic: decided.topic });
    for (const warning of decided.warnings) warnings.set(warning, (warnings.get(warning) ?? 0) + 1);
  }
  return { send, skipped, held, warnings };
};

const counted = (what: readonly string[]): string => {
  const counts = new Map<string, number>();
  for (const each of what) counts.set(each, (counts.get(each) ?? 0) + 1);
  return [...counts].map(([each, count]) => `${count} ${each}`).join(", ");
};

/** The plan in lines for people. */
export const planLines = ({ send, skipped, warnings }: Plan): string[] => {
  const lines = [`${send.length} of ${send.length + skipped.length} dead letters are to be sent.`];
  for (const topic of new Set(send.map((each) => each.topic))) {
    const there = send.filter((each) => each.topic === topic).map(({ letter }) => letter.reason);
    lines.push(`  to ${topic}: ${counted(there)}`);
  }
  for (const [warning, count] of warnings) lines.push(`  Warning: ${count} ${warning}.`);
  for (const why of new Set(skipped.map((each) => each.skipped.why))) {
    const alike = skipped.filter((each) => each.skipped.why === why);
    const [first] = alike;
    const detail = first?.skipped.detail ? ` (${first.skipped.detail})` : "";
    const example = first
      ? `, ${alike.length > 1 ? "the first is " : ""}${refOf(first.letter.place)}${detail}`
      : "";
    lines.push(`  not sent: ${alike.length} ${why}${example}`);
  }
  return lines;
};
