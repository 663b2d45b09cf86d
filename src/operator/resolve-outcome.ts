import type { CommandResult } from "../records.ts";

/** What an operator says of a command in doubt. `quoteId`, in any spelling, tells it from others under the same commandId. */
export type Asked = {
  commandId: string;
  quoteId: string | null;
  as: "succeeded" | "not-executed";
  /** Decide although the claim is so young that its call may still be under way. */
  force: boolean;
};

/**
 * With four eyes: nothing is decided yet. What was asked for is written down at `place` of the audit topic, as topic[partition]@offset, and stands
 * until then; a second operator decides. `quoteId`: of the doubt, where it is about a quote.
 */
export type Proposed = {
  kind: "proposed";
  untilMs: number;
  place: string;
  quoteId: string | null;
  /** `opposed`: `by` asked for the opposite. `tooYoung`: `by` asked for the same, but not both insist on it. */
  why:
    | { kind: "alone" }
    | { kind: "opposed"; by: string; as: Asked["as"] }
    | { kind: "tooYoung"; by: string; ageMs: number; neededMs: number };
};

/** What came of it. `place`: of the entry of the journal that stands, as topic[partition]@offset. */
export type Ended =
  /** `published`: where the final result stands in the results topic. */
  | { kind: "resolved"; result: CommandResult; place: string; published: string }
  | Proposed
  /** Somebody was faster; `note` is the word of an operator. No result: it is QUOTE_ALREADY_TAKEN. */
  | { kind: "decided"; result: CommandResult | null; note: string | null; place: string }
  | { kind: "tooYoung"; ageMs: number; neededMs: number }
  | { kind: "underWay" }
  /** Quotes that the command is in doubt about, of which one must be named. */
  | { kind: "several"; quotes: readonly string[] }
  | { kind: "unknown" };

const seconds = (ms: number): string => `${Math.ceil(ms / 1_000)}s`;

const standing = ({ result, note, place }: Extract<Ended, { kind: "decided" }>): string => {
  if (result === null) return `rejected, for another command holds its quote: QUOTE_ALREADY_TAKEN (${place})`;
  const who = note === null ? result.decidedBy : `${result.decidedBy} (${note})`;
  return `${result.outcome} by ${who}, ${place}`;
};

/** What is missing for a decision, in a sentence. */
const proposal = ({ commandId, as }: Pick<Asked, "commandId" | "as">, { why, untilMs }: Proposed): string => {
  const until = `until ${new Date(untilMs).toISOString()}`;
  const not = `Command ${commandId} is not decided yet`;
  switch (why.kind) {
    case "alone":
      return `${not}: a second operator must say ${as} as well, in the console or with \`cambio-bridge resolve\`, ${until}.`;
    case "opposed":
      return `${not}: ${why.by} says ${why.as}, you say ${as}. Both words stand, yours ${until}: one of you must say what the other says.`;
    case "tooYoung":
      return `${not}: ${why.by} said ${as} as well, but its call began ${seconds(why.ageMs)} ago and might still be under way on a frozen replica. One of you must say it again once it is ${seconds(why.neededMs)} old, or both must insist with --force; your word stands ${until}.`;
  }
};

/** Why nothing was decided, in a sentence; null where it was. */
export const refusalOf = (
  asked: Pick<Asked, "commandId" | "quoteId" | "as">,
  ended: Ended,
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
      return `The call of command ${commandId} began ${seconds(ended.ageMs)} ago and might still be under way on a frozen replica: wait until it is ${seconds(ended.neededMs)} old, or insist with --force.`;
    case "underWay":
      return `Command ${commandId} is being executed${about}: wait for its result.`;
    case "several":
      return `Command ${commandId} is in doubt for ${ended.quotes.length} quotes, ${ended.quotes.join(" and ")}: say with --quote-id which of them is meant.`;
    case "unknown":
      return `The journal knows no command ${commandId} that is in doubt${about}.`;
  }
};
