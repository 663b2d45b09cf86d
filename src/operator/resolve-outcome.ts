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
    | ({ kind: "tooYoung"; by: string } & TooYoung);
};

/** `lost`: the error code of the doubt: whether an answer is lost or the replica that made the call. */
type TooYoung = { ageMs: number; neededMs: number; lost: string | null };

/** What came of a request. `place`: of the conclusion in the journal, as topic[partition]@offset. */
export type ResolveOutcome =
  /** `published`: where the final result stands in the results topic. */
  | { kind: "resolved"; result: CommandResult; place: string; published: string }
  | Proposed
  /** It was concluded before. `note`: of the operator who did. `result` is null for QUOTE_ALREADY_TAKEN. */
  | { kind: "decided"; result: CommandResult | null; note: string | null; place: string }
  | ({ kind: "tooYoung" } & TooYoung)
  | { kind: "underWay" }
  /** The command is in doubt about several quotes: the request must name one. */
  | { kind: "several"; quotes: readonly string[] }
  | { kind: "unknown" };

const standing = ({ result, note, place }: Extract<ResolveOutcome, { kind: "decided" }>): string => {
  if (result === null) return `rejected, for another command holds its quote: QUOTE_ALREADY_TAKEN (${place})`;
  const who = note === null ? result.decidedBy : `${result.decidedBy} (${note})`;
  return `${result.outcome} by ${who}, ${place}`;
};

/** Said before `not-executed` is taken: the bridge cannot see what the partner, or a proxy, still holds. */
export const NOT_EXECUTED_CAUTION =
  "If the partner, or a proxy before it, stood still with the request, it may execute it when it goes on, after this decision too: let the partner say that it will not be executed any more; that it is not in the books is not enough.";

const WONT_BE = "the partner says that it will not be executed any more";

/**
 * The way around the wait. If `not-executed` frees the quote and the call is executed after all, it can be accepted
 * twice. After a lost answer no replica can send it any more, but the partner may hold it.
 */
const force = (as: ResolveRequest["as"], lost: string | null, how = "give --force"): string => {
  if (as !== "not-executed") return `, or ${how}`;
  if (lost === "ANSWER_LOST") return `, or ${how} if ${WONT_BE}`;
  return `, or ${how} if it is certain that no replica of that time still runs, and ${WONT_BE}`;
};

/** Where the call might still be. */
const whereabouts = (lost: string | null): string =>
  lost === "ANSWER_LOST"
    ? "might still be held by the partner, or by a proxy before it"
    : "might still be under way on a frozen replica";

const HOUR_MS = 3_600_000;

/** How long a claim is too young for, rounded up to what is shown, and the age that it must have. */
const untilOld = ({ ageMs, neededMs }: TooYoung): string => {
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
      return `${not}: ${why.by} said ${as} as well, but its call began ${formatDuration(why.ageMs)} ago and ${whereabouts(why.lost)}. One of you must say it again in ${untilOld(why)}${force(as, why.lost, "both must give --force")}; your proposal stands ${until}.`;
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
      return `The call of command ${commandId} began ${formatDuration(ended.ageMs)} ago and ${whereabouts(ended.lost)}: run it again in ${untilOld(ended)}${force(asked.as, ended.lost)}.`;
    case "underWay":
      return `Command ${commandId} is being executed${about}: wait for its result.`;
    case "several":
      return `Command ${commandId} is in doubt for ${ended.quotes.length} quotes, ${ended.quotes.join(" and ")}: say with --quote-id which of them is meant.`;
    case "unknown":
      return `The journal knows no command ${commandId} that is in doubt${about}.`;
  }
};
