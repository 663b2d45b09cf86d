import type { Entry, JournalRecord } from "../../../commands-to-results/journal-rules/entry.ts";
import { contentOf } from "../../../commands-to-results/journal-rules/fingerprint.ts";
import type { JournalOperation } from "../../../records.ts";

/** A record of the journal that this build can fold. */
export type Readable = JournalRecord & { entry: Entry };

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
  { kind: "none" } | { kind: "held"; claim: Noted } | { kind: "doubt"; doubt: Noted; claim: Noted | null };

export type History = {
  standing: Standing;
  /** The entries that still matter: of commands with an attempt that is not over, or whose claim was not read. */
  left: Noted[];
  /** Attempts that are over: no later end of theirs says anything of them. */
  over: string[];
  /** Commands whose later claims hold nothing, and whether that is so for all commands. */
  finals: ReadonlySet<string>;
  isSpent: boolean;
};

/**
 * What is known of one attempt. Nothing is concluded for an attempt whose claim did not hold its key. So a doubt is told by the entries that name
 * its attempt and by a success of its command alone, whatever else of its key was read. (A release proves nothing: a replica that stops writes
 * one whether or not its claim held.)
 */
type Attempt = {
  commandId: string;
  first: Noted;
  claim: Noted | null;
  doubt: Noted | null;
  /** An entry says that it ended, or that another attempt took over. */
  isOver: boolean;
  /** Its claim did not hold the key, or does not any more: told by entries of other attempts. */
  isGone: boolean;
};

const attemptConcludedBy = ({ step }: Entry): string | null =>
  step.kind === "concluded" ? step.attemptId : null;

/** The content of each attempt that is named by its claim or by what it came to. */
const contentsOf = (notes: readonly Noted[]): ReadonlyMap<string | null, number> =>
  new Map(
    notes.flatMap(({ entry: { step } }) =>
      "requestHash" in step ? [[step.attemptId, contentOf(step.requestHash)] as const] : [],
    ),
  );

/**
 * What some entries of a key say, the oldest first, of which older ones may not have been read.
 * @param mayBeUnread whether an attempt may have a claim before this first entry that names it
 */
export const historyOf = (notes: readonly Noted[], mayBeUnread: (first: Noted) => boolean): History => {
  const proven = new Set(notes.map(({ entry }) => attemptConcludedBy(entry)));
  const contents = contentsOf(notes);
  const hasOtherContent = (attemptId: string, hash: string): boolean =>
    (contents.get(attemptId) ?? contentOf(hash)) !== contentOf(hash);
  const attempts = new Map<string, Attempt>();
  const succeeded = new Set<string>();
  const finals = new Set<string>();
  let holder: Attempt | null = null;

  const attemptOf = (attemptId: string, first: Noted): Attempt => {
    const known = attempts.get(attemptId);
    if (known) return known;
    const { commandId } = first.entry;
    const fresh = {
      commandId,
      first,
      claim: null,
      doubt: null,
      isOver: succeeded.has(commandId),
      isGone: false,
    };
    attempts.set(attemptId, fresh);
    return fresh;
  };

  const end = (attempt: Attempt): void => {
    attempt.isOver = true;
    attempt.doubt = null;
  };

  const claim = (note: Noted, step: Entry["step"] & { kind: "claimed" }): void => {
    const { supersedes } = step;
    const old = supersedes === null ? null : attemptOf(supersedes, note);
    const own = attemptOf(step.attemptId, note);
    own.claim = note;
    const isLate = old !== null && (old.isOver || (old.claim === null && !mayBeUnread(old.first)));
    const takesOver =
      supersedes !== null &&
      old?.doubt === null &&
      !isLate &&
      note.entry.operation === "CREATE_QUOTE" &&
      !hasOtherContent(supersedes, step.requestHash);
    if (takesOver) end(old);
    if (proven.has(step.attemptId)) {
      // Its key was not open, or open for the one that it took over.
      for (const other of attempts.values())
        if (other !== own && other.claim !== null && other.doubt === null) other.isGone = true;
      holder = own;
    } else if (isLate || succeeded.size > 0 || finals.has(note.entry.commandId) || holder?.isOver === false) {
      own.isGone = true;
    }
  };

  const conclude = (
    note: Noted,
    { attemptId, outcome, requestHash }: Entry["step"] & { kind: "concluded" },
  ) => {
    const { commandId } = note.entry;
    const own = attemptId === null ? null : attemptOf(attemptId, note);
    if (outcome === "IN_DOUBT") {
      if (own && !own.isOver) own.doubt ??= note;
    } else if (outcome === "SUCCEEDED") {
      succeeded.add(commandId);
      finals.add(commandId);
      for (const [other, each] of attempts)
        if (each.commandId === commandId && !hasOtherContent(other, requestHash)) end(each);
    } else if (own) {
      if (own === holder && !own.isOver) finals.add(commandId);
      end(own);
    }
  };

  for (const note of notes) {
    const { step } = note.entry;
    if (step.kind === "claimed") claim(note, step);
    else if (step.kind === "concluded") conclude(note, step);
    else if (step.kind === "released") {
      const own = attemptOf(step.attemptId, note);
      if (own.doubt === null) end(own);
    }
  }

  const isDone = ({ isOver, isGone, doubt, claim: read, first }: Attempt): boolean =>
    read === null ? !mayBeUnread(first) : doubt === null && (isOver || isGone);
  const all = [...attempts];
  const unfinished = all.filter(([, attempt]) => !isDone(attempt)).map(([, attempt]) => attempt);
  const inDoubt = unfinished.findLast(({ doubt }) => doubt !== null);
  const held = unfinished.find(({ claim: read }) => read !== null);
  const commands = new Set(unfinished.map(({ commandId }) => commandId));
  const standing: Standing = inDoubt?.doubt
    ? { kind: "doubt", doubt: inDoubt.doubt, claim: inDoubt.claim }
    : held?.claim
      ? { kind: "held", claim: held.claim }
      : { kind: "none" };
  return {
    standing,
    left: notes.filter(({ entry }) => commands.has(entry.commandId)),
    over: all.filter(([, attempt]) => attempt.claim !== null && attempt.isOver).map(([id]) => id),
    finals,
    isSpent: succeeded.size > 0,
  };
};
