import { iso } from "../../runtime/instant.ts";
import type { LetterState } from "./claims.ts";
import { refOf, type DeadLetter } from "./dead-letter.ts";

/** What decides whether a letter is sent. */
export type PlanRules = {
  /** Whether the letters were named by their refs. */
  isNamed: boolean;
  /** Whether letters that were sent before are sent again. */
  again: boolean;
  /** Topics that commands may be sent back to. */
  commandTopics: readonly string[];
  eventsTopic: string;
  maxAgeMs: number;
  nowMs: number;
};

/** `why` groups letters; `detail` is about this one. `wasSent`: it is where it was to go. */
export type Skipped = { why: string; detail: string; wasSent?: boolean };

export const skippedText = ({ why, detail }: Skipped): string => (detail === "" ? why : `${why}: ${detail}`);

type Decided =
  | { kind: "send"; topic: string; warnings: readonly string[] }
  /** `heldIn`: the topic that another replay is sending it to now. */
  | ({ kind: "skip"; heldIn?: string } & Skipped);

const skip = (why: string, detail = ""): Decided => ({ kind: "skip", why, detail });

const TOO_OLD =
  "older than COMMANDS_MAX_AGE: a command among them that can be read is answered COMMAND_TOO_OLD, without a call";
const ANSWERED =
  "already answered REJECTED (UNREADABLE_COMMAND): one that can be read now is executed. Ask its sender first whether another command was sent in its place";
const UNSETTLED = "claimed by a replay that did not finish: those that stand in the topic are not sent again";
const REUSED =
  "under a commandId that another command has: refused again for as long as the journal knows that one";

/** Why a letter is not sent in this state, as text; null where it may be sent. */
export const skipReason = (standing: LetterState): Skipped | null => {
  switch (standing.kind) {
    case "sent": {
      const { by, atMs, where } = standing.sent;
      return { why: "replayed before", detail: `${iso(atMs)} by ${by}: ${where}`, wasSent: true };
    }
    case "atWork":
      return {
        why: "being replayed by somebody else",
        detail: `${standing.by}, since ${iso(standing.atMs)}`,
      };
    case "free":
    case "unsettled":
      return null;
  }
};

/** Decides whether a letter is sent again, and to which topic. */
export const decide = (letter: DeadLetter, standing: LetterState, rules: PlanRules): Decided => {
  const { reason, source, origin, missing, obstacle } = letter;
  if (source === "unknown") return skip("no dead letter of the bridge");
  if (reason === "CONTRADICTING_ANSWER") return skip("an answer, not a command (CONTRADICTING_ANSWER)");
  if (missing !== null) return skip("parts are missing", missing);
  if (source === "command" && origin === null) return skip("no origin");
  if (origin !== null && !rules.commandTopics.includes(origin.topic))
    return skip(
      "from another topic than this configuration's commands",
      `${origin.topic}: name it with --topic`,
    );
  if (reason === "COMMAND_ID_REUSED" && !rules.isNamed)
    return skip("would be refused again (COMMAND_ID_REUSED)", "name it by its REF to send it all the same");
  if (obstacle !== null) return skip("would come to nothing", obstacle);
  const held = skipReason(standing);
  const topic = origin?.topic ?? rules.eventsTopic;
  if (held && standing.kind === "atWork") return { kind: "skip", ...held, heldIn: topic };
  if (held && !rules.again) return { kind: "skip", ...held };
  const isOld = origin !== null && rules.nowMs - origin.timestampMs > rules.maxAgeMs;
  const warnings = [
    ...(standing.kind === "unsettled" ? [UNSETTLED] : []),
    ...(isOld ? [TOO_OLD] : []),
    ...(reason === "UNREADABLE_COMMAND" && !isOld ? [ANSWERED] : []),
    ...(reason === "COMMAND_ID_REUSED" ? [REUSED] : []),
  ];
  return { kind: "send", topic, warnings };
};

export type Planned = { letter: DeadLetter; topic: string };

/** What a replay sends, in order, and what it skips. */
export type Plan = {
  send: readonly Planned[];
  skipped: readonly { letter: DeadLetter; skipped: Skipped }[];
  /** Skipped letters that another replay is sending: later letters of their keys must wait. */
  held: readonly Planned[];
  /** The number of letters by warning. */
  warnings: ReadonlyMap<string, number>;
};

export const planOf = (letters: readonly DeadLetter[], decideOn: (letter: DeadLetter) => Decided): Plan => {
  const send: Planned[] = [];
  const skipped: { letter: DeadLetter; skipped: Skipped }[] = [];
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

/** The plan as lines of text. */
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
