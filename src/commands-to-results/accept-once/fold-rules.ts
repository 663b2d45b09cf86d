import type { Claimed, JournalOperation } from "../../records.ts";
import type { FoldedEntry } from "./entry.ts";
import type { Final } from "./memory.ts";

/** The claim that holds a key, or held it when its command fell into doubt. `timestampMs`: LogAppendTime. */
export type Claim = Omit<Claimed, "quoteId" | "supersedes"> & { commandId: string; timestampMs: number };

type Step = FoldedEntry["step"];

/** The state of an entry's key and command before the entry. */
export type StateBefore = {
  /** The command that holds the key, or is in doubt and blocks it. It has no final result. */
  open: { claim: Claim; inDoubt: boolean } | null;
  final: Final | null;
  /** The accept of this key is known to have been executed, by whichever command. */
  spent: boolean;
  /** The command's first entry under this key had another requestHash: the commandId was reused. */
  otherContent: boolean;
  /** The resultId of a final result that followed a doubt and is not known to be published; else null. */
  unpublished: string | null;
};

type Change =
  | { kind: "nothing" }
  | { kind: "held" }
  | { kind: "freed" }
  | { kind: "doubted" }
  /** Another command has the quote: the fold itself concludes this one, on every replica alike. */
  | { kind: "taken" }
  /** The final result. `closes`: the key was open for this command. `afterDoubt`: a Published must follow. */
  | { kind: "final"; succeeded: boolean; closes: boolean; afterDoubt: boolean }
  /** It contradicts the final result that stands. `spends`: it says that the accept was executed. */
  | { kind: "contradicted"; spends: boolean }
  | { kind: "published" };

const NOTHING: Change = { kind: "nothing" };

const claimed = (
  { open, final, spent, otherContent }: StateBefore,
  { operation, commandId }: FoldedEntry,
  step: Step & { kind: "claimed" },
): Change => {
  // A command that reuses a commandId becomes a dead letter. Its late claim must not block the first command.
  if (final || otherContent) return NOTHING;
  if (open) {
    if (open.claim.commandId !== commandId) return { kind: "taken" };
    // A second quote does no harm, a second accept does: it is never called again, its claim only becomes a doubt.
    const takesOver =
      operation === "CREATE_QUOTE" && !open.inDoubt && step.supersedes === open.claim.attemptId;
    return takesOver ? { kind: "held" } : NOTHING;
  }
  if (spent) return { kind: "taken" };
  // A claim that supersedes one that is no longer open: the owner is alive, or another replica took over first.
  return step.supersedes === null ? { kind: "held" } : NOTHING;
};

const released = ({ open }: StateBefore, { commandId }: FoldedEntry, attemptId: string): Change =>
  open && !open.inDoubt && open.claim.commandId === commandId && open.claim.attemptId === attemptId
    ? { kind: "freed" }
    : NOTHING;

/** Whether only one of two conclusions says "executed". For a create only an execution that is denied is an alarm. */
export const contradicts = (
  operation: JournalOperation,
  saysExecuted: boolean,
  standsExecuted: boolean,
): boolean => saysExecuted !== standsExecuted && (saysExecuted || operation === "ACCEPT_QUOTE");

const concluded = (
  { open, final, otherContent }: StateBefore,
  { operation, commandId }: FoldedEntry,
  { attemptId, outcome }: Step & { kind: "concluded" },
): Change => {
  if (otherContent) return NOTHING;
  const succeeded = outcome === "SUCCEEDED";
  if (final) {
    // A conclusion that names no attempt is a late rejection by a guard, not evidence about a call.
    if (outcome === "IN_DOUBT" || attemptId === null || !contradicts(operation, succeeded, final.succeeded))
      return NOTHING;
    return { kind: "contradicted", spends: succeeded };
  }
  const openHere = open?.claim.commandId === commandId ? open : null;
  const matches = openHere !== null && attemptId === openHere.claim.attemptId;
  if (outcome === "IN_DOUBT") return matches && !openHere.inDoubt ? { kind: "doubted" } : NOTHING;
  // "Not executed" counts for its own attempt only: otherwise a late rejection by a guard would end a doubt with "no".
  if (!succeeded && openHere !== null && !matches) return NOTHING;
  return { kind: "final", succeeded, closes: openHere !== null, afterDoubt: openHere?.inDoubt ?? false };
};

/** The rules of the journal for one entry. Pure and total: all replicas that fold the same records agree. */
export const changeOf = (before: StateBefore, entry: FoldedEntry): Change => {
  const { step } = entry;
  switch (step.kind) {
    case "claimed":
      return claimed(before, entry, step);
    case "released":
      return released(before, entry, step.attemptId);
    case "concluded":
      return concluded(before, entry, step);
    case "published":
      return step.resultId === before.unpublished ? { kind: "published" } : NOTHING;
  }
};
