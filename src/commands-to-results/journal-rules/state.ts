import type { JournalOperation } from "../../records.ts";
import type { FoldedEntry } from "./entry.ts";
import type { Final } from "./memory.ts";

/** The claim that holds a key, or held it when its command fell into doubt. */
export type Claim = {
  commandId: string;
  attemptId: string;
  requestHash: string;
  callWithinMs: number;
  receivedAt: number;
  attempts: number;
  /** LogAppendTime. */
  timestampMs: number;
};

type Step = FoldedEntry["step"];

/** What the log says of a key and of the entry's command, before the entry. */
export type Before = {
  /** The command that holds the key or is in doubt about it. It has no final result. */
  open: { claim: Claim; inDoubt: boolean } | null;
  /** The final result of the entry's command. */
  final: Final | null;
  /** Some command is known to have executed the accept of this key. */
  spent: boolean;
  /** The first entry of the entry's command under this key had another content: this one is a mistake of its caller. */
  otherContent: boolean;
  /** The resultId of the command's final result, where it came after a doubt and is not known to be published. */
  unpublished: string | null;
};

/** What an entry changes. */
export type Change =
  | { kind: "nothing" }
  /** The entry's claim holds the key now. */
  | { kind: "held" }
  | { kind: "freed" }
  | { kind: "doubted" }
  /** The quote is another command's: the fold itself concludes this one, the same on every replica. */
  | { kind: "taken" }
  /** The command has its final result. `closes`: the key was open for it. `afterDoubt`: it must be followed by a Published. */
  | { kind: "final"; succeeded: boolean; closes: boolean; afterDoubt: boolean }
  /** An end that cannot be true together with the final result that stands. `spends`: the partner did execute it. */
  | { kind: "contradicted"; spends: boolean }
  | { kind: "published" };

const NOTHING: Change = { kind: "nothing" };

const claimed = (
  { open, final, spent, otherContent }: Before,
  { operation, commandId }: FoldedEntry,
  step: Step & { kind: "claimed" },
): Change => {
  // Whoever is not the first under a commandId becomes a dead letter. A claim of his that comes late must not stand in the first one's way.
  if (final || otherContent) return NOTHING;
  if (open) {
    if (open.claim.commandId !== commandId) return { kind: "taken" };
    // A second quotation does no harm, a second accept does: an accept is never taken over, only doubted.
    const takesOver =
      operation === "CREATE_QUOTE" && !open.inDoubt && step.supersedes === open.claim.attemptId;
    return takesOver ? { kind: "held" } : NOTHING;
  }
  if (spent) return { kind: "taken" };
  // The one that it would take over has gone: its owner lives, or somebody else came first.
  return step.supersedes === null ? { kind: "held" } : NOTHING;
};

const released = ({ open }: Before, { commandId }: FoldedEntry, attemptId: string): Change =>
  open && !open.inDoubt && open.claim.commandId === commandId && open.claim.attemptId === attemptId
    ? { kind: "freed" }
    : NOTHING;

/**
 * Whether one end says that the partner executed the command, and the other that it did not. Of a create only a quotation that nobody will hear
 * of is worth an alarm.
 */
export const contradicts = (
  operation: JournalOperation,
  saysExecuted: boolean,
  standsExecuted: boolean,
): boolean => saysExecuted !== standsExecuted && (saysExecuted || operation === "ACCEPT_QUOTE");

const concluded = (
  { open, final, otherContent }: Before,
  { operation, commandId }: FoldedEntry,
  { attemptId, outcome }: Step & { kind: "concluded" },
): Change => {
  if (otherContent) return NOTHING;
  const succeeded = outcome === "SUCCEEDED";
  if (final) {
    // A rejection without an attempt is a guard that came too late, not an answer.
    if (outcome === "IN_DOUBT" || attemptId === null || !contradicts(operation, succeeded, final.succeeded))
      return NOTHING;
    return { kind: "contradicted", spends: succeeded };
  }
  const own = open?.claim.commandId === commandId ? open : null;
  const matches = own !== null && attemptId === own.claim.attemptId;
  if (outcome === "IN_DOUBT") return matches && !own.inDoubt ? { kind: "doubted" } : NOTHING;
  // That it was executed is never ignored. That it was not is the word of one attempt: while another one holds the key or is in
  // doubt, it says nothing about that one. Without this a guard's rejection that is late in the log would end a doubt with a "no".
  if (!succeeded && own !== null && !matches) return NOTHING;
  return { kind: "final", succeeded, closes: own !== null, afterDoubt: own?.inDoubt ?? false };
};

/** The rules of the journal, for one entry. Pure and total: every replica that folds the same records comes to the same state. */
export const changeOf = (before: Before, entry: FoldedEntry): Change => {
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
