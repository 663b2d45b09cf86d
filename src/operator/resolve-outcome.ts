import type { CommandResult } from "../records.ts";
import { formatDuration } from "../runtime/duration.ts";
import { iso } from "../runtime/instant.ts";

/**
 * What an operator says of a command in doubt. `quoteId`, in any spelling, is needed where a commandId has
 * several doubts.
 */
export type ResolveRequest = {
  commandId: string;
  quoteId: string | null;
  as: "succeeded" | "not-executed";
  /** End it although the claim is so young that its call may still be under way. */
  force: boolean;
};

/**
 * Four eyes: the request is a proposal until `untilMs`, and nothing is decided. `place`: of its audit entry, as
 * topic[partition]@offset. `quoteId`: of the doubt, where it is about a quote.
 */
export type Proposed = {
  kind: "proposed";
  untilMs: number;
  place: string;
  quoteId: string | null;
  /** `opposed`: `by` asked for the opposite. `tooYoung`: `by` asked for the same, but not both with force. */
  why:
    | { kind: "alone" }
    | { kind: "opposed"; by: string; as: ResolveRequest["as"] }
    | { kind: "tooYoung"; by: string; ageMs: number; neededMs: number };
};

/** What came of a request. `place`: of the conclusion in the journal, as topic[partition]@offset. */
export type ResolveOutcome =
  /** `published`: where the final result stands in the results topic. */
  | { kind: "resolved"; result: CommandResult; place: string; published: string }
  | Proposed
  /** It was concluded before. `note`: of the operator who did. `result` is null for QUOTE_ALREADY_TAKEN. */
  | { kind: "decided"; result: CommandResult | null; note: string | null; place: string }
  | { kind: "tooYoung"; ageMs: number; neededMs: number }
  | { kind: "underWay" }
  /** The command is in doubt about several quotes: the request must name one. */
  | { kind: "several"; quotes: readonly string[] }
  | { kind: "unknown" };

const standing = ({ result, note, place }: Extract<ResolveOutcome, { kind: "decided" }>): string => {
  if (result === null) return `rejected, for another command holds its quote: QUOTE_ALREADY_TAKEN (${place})`;
  const who = note === null ? result.decidedBy : `${result.decidedBy} (${note})`;
  return `${result.outcome} by ${who}, ${place}`;
};

/**
 * The way around the wait. A frozen replica may still send the call when it wakes up: if the quote was freed
 * by `not-executed` meanwhile, it can be accepted twice.
 */
const force = (as: ResolveRequest["as"], how = "give --force"): string =>
  as === "not-executed"
    ? `, or ${how} if it is certain that no replica of that time still runs`
    : `, or ${how}`;

const HOUR_MS = 3_600_000;

/** How long a claim is too young for, rounded up to what is shown, and the age that it must have. */
const untilOld = ({ ageMs, neededMs }: { ageMs: number; neededMs: number }): string => {
  const leftMs = neededMs - ageMs;
  const stepMs = leftMs < HOUR_MS ? 1_000 : 60_000;
  const waitMs = Math.ceil(leftMs / stepMs) * stepMs;
  return `${formatDuration(waitMs)}, when it is ${formatDuration(neededMs)} old`;
};

/** Why a proposal decides nothing yet, as a sentence. */
const proposal = (
  { commandId, as }: Pick<ResolveRequest, "commandId" | "as">,
  { why, untilMs }: Proposed,
): string => {
  const until = `until ${iso(untilMs)}`;
  const not = `Command ${commandId} is not decided yet`;
  switch (why.kind) {
    case "alone":
      return `${not}: a second operator must say ${as} as well, in the console or with \`cambio-bridge resolve\`, ${until}.`;
    case "opposed":
      return `${not}: ${why.by} says ${why.as}, you say ${as}. Both proposals stand, yours ${until}: one of you must say what the other says.`;
    case "tooYoung":
      return `${not}: ${why.by} said ${as} as well, but its call began ${formatDuration(why.ageMs)} ago and might still be under way on a frozen replica. One of you must say it again in ${untilOld(why)}${force(as, "both must give --force")}; your proposal stands ${until}.`;
  }
};

/** Why nothing was decided, as a sentence; null where it was. */
export const refusalOf = (
  asked: Pick<ResolveRequest, "commandId" | "quoteId" | "as">,
  ended: ResolveOutcome,
): string | null => {
  const { commandId, quoteId } = asked;
  const about = quoteId === null ? "" : ` for quote ${quoteId}`;
  switch (ended.kind) {
    case "resolved":
      return null;
    case "proposed":
      return proposal(asked, ended);
    case "decided":
      return `Command ${commandId} is decided already${about}: ${standing(ended)}.`;
    case "tooYoung":
      return `The call of command ${commandId} began ${formatDuration(ended.ageMs)} ago and might still be under way on a frozen replica: run it again in ${untilOld(ended)}${force(asked.as)}.`;
    case "underWay":
      return `Command ${commandId} is being executed${about}: wait for its result.`;
    case "several":
      return `Command ${commandId} is in doubt for ${ended.quotes.length} quotes, ${ended.quotes.join(" and ")}: say with --quote-id which of them is meant.`;
    case "unknown":
      return `The journal knows no command ${commandId} that is in doubt${about}.`;
  }
};
