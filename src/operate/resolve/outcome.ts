import type { CommandResult } from "../../records.ts";
import { iso } from "../../runtime/instant.ts";

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
  /** The transaction that the accept became, for the final result; null where nobody says it. */
  transactionId: string | null;
};

/** What came of a request. `place`: of the conclusion in the journal, as topic[partition]@offset. */
export type ResolveOutcome =
  /** `published`: where the final result stands in the results topic. */
  | { kind: "resolved"; result: CommandResult; place: string; published: string }
  /** Four eyes: nothing is decided until another person confirms `ref`. `resolvableAtMs`: not before, without force. */
  | { kind: "proposed"; ref: string; place: string; quoteId: string | null; resolvableAtMs: number }
  /** It was concluded before. `note`: of the operator who did. `result` is null for QUOTE_ALREADY_TAKEN. */
  | { kind: "decided"; result: CommandResult | null; note: string | null; place: string }
  /** `resolvableAtMs`: not before, without force, by Kafka's clock. */
  | { kind: "tooYoung"; claimedAtMs: number; resolvableAtMs: number }
  | { kind: "underWay" }
  /** The command is in doubt about several quotes: the request must name one. */
  | { kind: "several"; quotes: readonly string[] }
  | { kind: "unknown" }
  /** The transaction that was named cannot be this command's. `commandId`: whose result names it; null for none. */
  | { kind: "otherTransaction"; transactionId: string; commandId: string | null }
  /** "Not executed" was said, without force, although evidence names these transactions. */
  | { kind: "evidence"; transactionIds: readonly string[] }
  /** A proposal was to be confirmed by its author. */
  | { kind: "sameAuthor"; by: string }
  | { kind: "expired"; proposedAtMs: number }
  /** The confirmation says another outcome than the proposal: its REF may be mistyped. */
  | { kind: "otherOutcome"; ref: string; as: ResolveRequest["as"] };

/** How long a proposal may be confirmed, by Kafka's clock. */
export const PROPOSAL_MS = 24 * 3_600_000;

/** Shown before somebody chooses "not executed". */
export const NOT_EXECUTED_RISK =
  "The request may still be stuck at the partner, or at a proxy before it, and run later. Choose this only if they " +
  "confirm that it will never run: that it is not in their books is not enough. If they cannot say, leave it open.";

const standing = ({ result, note, place }: Extract<ResolveOutcome, { kind: "decided" }>): string => {
  if (result === null)
    return `another command holds its quote, or its result has left the journal (${place}): see its story`;
  const who = note === null ? result.decidedBy : `${result.decidedBy} (${note})`;
  return `${result.outcome} by ${who}, ${place}`;
};

/** If `not-executed` frees the quote and the call is executed after all, it can be accepted twice. */
const FORCE = {
  succeeded: "or with force (--force)",
  "not-executed":
    "or with force (--force) if it is certain that no replica of that time still runs, and the partner says that " +
    "it will not be executed any more",
} as const;

/** Why nothing was decided, as a sentence; null where it was. */
export const refusalText = (
  { commandId, quoteId, as }: Pick<ResolveRequest, "commandId" | "quoteId" | "as">,
  ended: ResolveOutcome,
): string | null => {
  const about = quoteId === null ? "" : ` for quote ${quoteId}`;
  switch (ended.kind) {
    case "resolved":
      return null;
    case "proposed":
      return (
        `Command ${commandId} is not decided yet: another person must confirm it within 24 hours, in the ` +
        `console or with \`cambio-bridge resolve --confirm ${ended.ref} --as ${as} --by NAME\`. Without force it can be ` +
        `resolved from ${iso(ended.resolvableAtMs)} on.`
      );
    case "decided":
      return `Command ${commandId} is decided already${about}: ${standing(ended)}.`;
    case "tooYoung":
      return (
        `The call of command ${commandId} began at ${iso(ended.claimedAtMs)} and might still be under way, ` +
        `on a frozen replica or at the partner: resolve it from ${iso(ended.resolvableAtMs)} on, by ` +
        `Kafka's clock, ${FORCE[as]}.`
      );
    case "underWay":
      return `Command ${commandId} is being executed${about}: wait for its result.`;
    case "several":
      return (
        `Command ${commandId} is in doubt for ${ended.quotes.length} quotes, ${ended.quotes.join(" and ")}: ` +
        "resolve the one that is meant, by its page or with --quote-id."
      );
    case "unknown":
      return `The journal holds no doubt of command ${commandId}${about} that can be read.`;
    case "otherTransaction":
      return ended.commandId === null
        ? `No event of transaction ${ended.transactionId} is known since the claim: check the id, or leave it out.`
        : `Transaction ${ended.transactionId} is that of command ${ended.commandId}, whose result names it.`;
    case "evidence":
      return (
        `Command ${commandId} was probably executed: transaction ${ended.transactionIds.join(" and ")} names it. If ` +
        "the partner says that it was not executed, and never will be, resolve it with force (--force)."
      );
    case "sameAuthor":
      return `Command ${commandId} is not decided: ${ended.by} proposed it, and another person must confirm it.`;
    case "otherOutcome":
      return (
        `Command ${commandId} is not decided: ${ended.ref} proposes ${ended.as}, which is not what was confirmed. ` +
        "See that the REF is the right one."
      );
    case "expired":
      return (
        `Command ${commandId} is not decided: what was proposed at ${iso(ended.proposedAtMs)} is older than ` +
        "24 hours. Propose it again."
      );
  }
};
