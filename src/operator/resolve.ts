import type { CommandResult } from "../records.ts";
import type { Action, Actor, Outcome } from "./action.ts";
import type { Audited } from "./audit.ts";

/** What an operator says of a command in doubt. `quoteId`, in any spelling, tells it from others under the same commandId. */
export type Asked = {
  commandId: string;
  quoteId: string | null;
  as: "succeeded" | "not-executed";
  /** Decide although the claim is so young that its call may still be under way. */
  force: boolean;
};

/** What came of it. `place`: of the entry of the journal that stands, as topic[partition]@offset. */
export type Ended =
  | { kind: "resolved"; result: CommandResult; place: string }
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

/** Why nothing was decided, in a sentence; null where it was. */
export const refusalOf = (
  { commandId, quoteId }: Pick<Asked, "commandId" | "quoteId">,
  ended: Ended,
): string | null => {
  const about = quoteId === null ? "" : ` for quote ${quoteId}`;
  switch (ended.kind) {
    case "resolved":
      return null;
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

const outcomeOf = (asked: Asked, ended: Ended): Outcome => {
  if (ended.kind !== "resolved") return { kind: "refused", reason: refusalOf(asked, ended) ?? ended.kind };
  const { outcome, resultId } = ended.result;
  return { kind: "done", effect: { journal: ended.place, outcome, resultId } };
};

export type ResolvePorts = { audited: Audited; decide: (asked: Asked, actor: Actor) => Promise<Ended> };

/** Ends a command's doubt with an operator's word, unless somebody was faster. */
export const resolve =
  ({ audited, decide }: ResolvePorts) =>
  (actor: Actor, asked: Asked): Promise<Ended> => {
    const { commandId, ...parameters } = asked;
    const action: Action = { kind: "resolve", subject: commandId, parameters };
    return audited(actor, action, async () => {
      const ended = await decide(asked, actor);
      return { value: ended, outcome: outcomeOf(asked, ended) };
    });
  };
