import type { CommandResult } from "../../records.ts";
import { iso } from "../../runtime/instant.ts";

export type ResolveRequest = {
  commandId: string;
  /** In any spelling; needed where a commandId has several doubts. */
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
  | { kind: "proposed"; ref: string; place: string; quoteId: string; resolvableAtMs: number }
  /** It was concluded before. `note` is that of the operator who did it. `result` is null for QUOTE_ALREADY_TAKEN. */
  | { kind: "decided"; result: CommandResult | null; note: string | null; place: string };

/** How long a proposal may be confirmed, by Kafka's clock. */
export const PROPOSAL_MS = 24 * 3_600_000;

export const NOT_EXECUTED_RISK =
  "The request may still be stuck at the partner, or at a proxy before it, and run later. Choose this only if they " +
  "confirm that it will never run: that it is not in their books is not enough. If they cannot say, leave it open.";

export const refusalText = ({ commandId, as }: ResolveRequest, outcome: ResolveOutcome): string | null => {
  if (outcome.kind === "resolved") return null;
  if (outcome.kind === "proposed")
    return (
      `Command ${commandId} is not decided yet: another person must confirm it within 24 hours, in the ` +
      `console or with \`cambio-bridge resolve --confirm ${outcome.ref} --as ${as} --by NAME\`. Without force it can be ` +
      `resolved from ${iso(outcome.resolvableAtMs)} on.`
    );
  const { result, note, place } = outcome;
  if (result === null)
    return (
      `Command ${commandId} is decided already: another command holds its quote, or its result has left the journal ` +
      `(${place}): see its story.`
    );
  const who = note === null ? result.decidedBy : `${result.decidedBy} (${note})`;
  return `Command ${commandId} is decided already: ${result.outcome} by ${who}, ${place}.`;
};
