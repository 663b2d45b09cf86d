import type { Entry, Ref } from "../../../commands-to-results/journal-rules/entry.ts";
import { createPartitionView } from "../../../commands-to-results/journal-rules/partition-view.ts";
import type { JournalOperation } from "../../../records.ts";

/** What the result of a doubt says, cut to what a page shows. */
export type Facts = {
  quoteId: string | null;
  attempts: number;
  httpStatus: number | null;
  error: { code: string; message: string } | null;
  response: string | null;
};

/** An entry of one key, without the bytes of its result. `facts`: of a doubt, once they are decoded. */
export type Noted = { offset: number; timestampMs: number; entry: Entry; facts: Facts | null };

/** Where a key is: operations have keys of their own, and partitions are folded apart. */
export type Place = { partition: number; operation: JournalOperation; key: string };

/** What the entries of one key come to. `claim` is null while it was not read. */
export type Standing =
  | { kind: "none" }
  | { kind: "held"; claim: Noted | null }
  | { kind: "doubt"; doubt: Noted; claim: Noted | null };

/** What some entries of a key say, the oldest first, of which older ones may not have been read. */
export type History = {
  standing: Standing;
  /** Nothing older can change what they come to. */
  isWhole: boolean;
  /** The commands that have their final result. */
  finals: { commandId: string; offset: number; taken: boolean; succeeded: boolean }[];
};

type Unclaimed = { commandId: string; attemptId: string; isDoubt: boolean };

/** The attempt whose claim must stand before an entry. */
export const attemptBefore = ({ step }: Entry): string | null => {
  switch (step.kind) {
    case "claimed":
      return step.supersedes;
    case "released":
    case "concluded":
      return step.attemptId;
    case "published":
      return null;
  }
};

/**
 * Only a claim that held its key has an end, and a claim that takes nothing over holds it only where nothing was open before. Says where the first
 * of these stands, and leaves out the claims before the last of them that have no end: they were not held, or are over.
 */
const provenIn = (notes: readonly Noted[]): { notes: readonly Noted[]; firstHeld: number } => {
  const ended = new Set(
    notes.flatMap(({ entry }) => (entry.step.kind === "claimed" ? [] : (attemptBefore(entry) ?? []))),
  );
  const isProven = ({ entry: { step } }: Noted): boolean =>
    step.kind === "claimed" && step.supersedes === null && ended.has(step.attemptId);
  const last = notes.findLastIndex(isProven);
  const left = notes.filter(
    ({ entry: { step } }, at) =>
      at >= last || step.kind !== "claimed" || step.supersedes !== null || ended.has(step.attemptId),
  );
  const first = left.findIndex(isProven);
  return { notes: left, firstHeld: first < 0 ? left.length : first };
};

/** The attempts whose claims stand before all of these, and may still matter. */
const unclaimedIn = (notes: readonly Noted[]): Unclaimed[] => {
  const claimed = new Set<string>();
  const found: Unclaimed[] = [];
  for (const { entry } of notes) {
    const { commandId, step } = entry;
    const attemptId = attemptBefore(entry);
    if (attemptId !== null && !claimed.has(attemptId))
      found.push({ commandId, attemptId, isDoubt: step.kind === "concluded" && step.outcome === "IN_DOUBT" });
    if (step.kind === "claimed") claimed.add(step.attemptId);
  }
  return found;
};

/** Leaves out what says something of attempts that none of these claimed: once all was read, that changes nothing. */
export const withoutUnclaimed = (notes: readonly Noted[]): Noted[] => {
  const unclaimed = new Set(unclaimedIn(notes).map(({ attemptId }) => attemptId));
  return notes.filter(({ entry }) => !unclaimed.has(attemptBefore(entry) ?? ""));
};

/** Stands in for a claim that was not read yet: only an attempt whose claim held its key has an end. */
const claimOf = (notes: readonly Noted[], { commandId, attemptId }: Unclaimed, place: Place): Entry => {
  const steps = notes.flatMap(({ entry }) =>
    entry.commandId === commandId && "requestHash" in entry.step ? [entry.step] : [],
  );
  // The attempt's own end says which content it had.
  const told = steps.find((step) => step.kind === "concluded" && step.attemptId === attemptId) ?? steps[0];
  const requestHash = told?.requestHash ?? "";
  const nothing = { callWithinMs: 0, receivedAt: 0, attempts: 0, supersedes: null, quoteId: null };
  const step = { kind: "claimed" as const, attemptId, requestHash, ...nothing };
  return { operation: place.operation, commandId, step };
};

const commandsOf = (notes: readonly Noted[]): Set<string> =>
  new Set(notes.map(({ entry }) => entry.commandId));

export const saysSucceeded = ({ step }: Entry): boolean =>
  step.kind === "concluded" && step.outcome === "SUCCEEDED";

/** Folds the entries of one key by the rules that the bridge itself goes by. */
export const historyOf = (all: readonly Noted[], place: Place): History => {
  const { notes, firstHeld } = provenIn(all);
  const { partition, operation, key } = place;
  const view = createPartitionView(partition);
  const fold = (offset: number, timestampMs: number, entry: Entry): void =>
    view.fold({ partition, offset, timestampMs, key, entry }, entry);
  const unclaimed = unclaimedIn(notes.slice(0, firstHeld));
  const before = unclaimed.findLast(({ isDoubt }) => isDoubt) ?? unclaimed[0];
  if (before) fold(0, 0, claimOf(notes, before, place));
  for (const { offset, timestampMs, entry } of notes) fold(offset, timestampMs, entry);

  const claimBy = (attempt: string): Noted | null =>
    notes.find(({ entry: { step } }) => step.kind === "claimed" && step.attemptId === attempt) ?? null;
  const history: History = { standing: { kind: "none" }, isWhole: unclaimed.length === 0, finals: [] };
  for (const commandId of commandsOf(notes)) {
    const ref: Ref = { operation, key, commandId };
    const found = view.look(ref);
    if (found.kind === "held") history.standing = { kind: "held", claim: claimBy(found.claim.attemptId) };
    if (found.kind === "doubt") {
      const doubt = notes.find(({ offset }) => offset === found.position.offset);
      if (doubt) history.standing = { kind: "doubt", doubt, claim: claimBy(found.claim.attemptId) };
    }
    if (found.kind === "concluded") {
      const succeeded = notes.some(({ entry }) => entry.commandId === commandId && saysSucceeded(entry));
      history.finals.push({ commandId, offset: found.position.offset, taken: found.taken, succeeded });
    }
  }
  return history;
};
