import type { Entry, JournalRecord } from "../../../commands-to-results/journal-rules/entry.ts";
import { contentOf } from "../../../commands-to-results/journal-rules/fingerprint.ts";
import type { JournalOperation } from "../../../records.ts";

/** A journal record that this version can fold. */
export type ReadableRecord = JournalRecord & { entry: Entry };

/** The part of a doubt's result that pages show. */
export type Facts = {
  quoteId: string | null;
  attempts: number;
  httpStatus: number | null;
  error: { code: string; message: string } | null;
  response: string | null;
};

/** An entry that is kept, without its result's bytes. `facts`: of a doubt, once decoded. */
export type KeptEntry = { offset: number; timestampMs: number; entry: Entry; facts: Facts | null };

/** Identifies a key. Each operation has its own keys, and partitions are folded separately. */
export type Place = { partition: number; operation: JournalOperation; key: string };

/** The state of a key. `claim` is null while it was not read. */
export type KeyState =
  | { kind: "none" }
  | { kind: "held"; claim: KeptEntry }
  | { kind: "doubt"; doubt: KeptEntry; claim: KeptEntry | null };

export type History = {
  standing: KeyState;
  /**
   * The entries that still matter: of commands with an attempt that is unfinished, or whose claim was not
   * read.
   */
  left: KeptEntry[];
  /** Finished attempts: later entries about them change nothing. */
  over: string[];
  /**
   * Commands that have a final result, so that later claims of theirs do not hold; `isSpent`: that is so for
   * every command.
   */
  finals: ReadonlySet<string>;
  isSpent: boolean;
};

/**
 * What is known of one attempt. Only an attempt whose claim held the key is ever concluded. So a doubt follows
 * from the entries that name its attempt and from a success of its command, whatever else of the key was read.
 * A release proves nothing: a replica that stops writes one whether or not its claim held.
 */
type Attempt = {
  commandId: string;
  first: KeptEntry;
  claim: KeptEntry | null;
  doubt: KeptEntry | null;
  /** It was concluded, or another attempt took over. */
  isOver: boolean;
  /**
   * It was released, and no claim of it followed. The broker may append a claim again, or late: behind the
   * release it takes the key again.
   */
  isReleased: boolean;
  /** Its claim did not hold the key, or no longer does, as entries of other attempts show. */
  isGone: boolean;
};

const hasEnded = ({ isOver, isReleased }: Attempt): boolean => isOver || isReleased;

const attemptConcludedBy = ({ step }: Entry): string | null =>
  step.kind === "concluded" ? step.attemptId : null;

/** The content hash of each attempt, from its claim or its conclusion. */
const contentsOf = (notes: readonly KeptEntry[]): ReadonlyMap<string | null, number> =>
  new Map(
    notes.flatMap(({ entry: { step } }) =>
      "requestHash" in step ? [[step.attemptId, contentOf(step.requestHash)] as const] : [],
    ),
  );

/**
 * The state of a key, from its entries that were read, the oldest first. Older ones may be unread.
 * @param mayBeUnread whether an attempt may have an unread claim before this first entry that names it
 */
export const historyOf = (
  notes: readonly KeptEntry[],
  mayBeUnread: (first: KeptEntry) => boolean,
): History => {
  const proven = new Set(notes.map(({ entry }) => attemptConcludedBy(entry)));
  const contents = contentsOf(notes);
  const hasOtherContent = (attemptId: string, hash: string): boolean =>
    (contents.get(attemptId) ?? contentOf(hash)) !== contentOf(hash);
  const attempts = new Map<string, Attempt>();
  const succeeded = new Set<string>();
  const finals = new Set<string>();
  let holder: Attempt | null = null;

  const attemptOf = (attemptId: string, first: KeptEntry): Attempt => {
    const known = attempts.get(attemptId);
    if (known) return known;
    const { commandId } = first.entry;
    const fresh = {
      commandId,
      first,
      claim: null,
      doubt: null,
      isOver: succeeded.has(commandId),
      isReleased: false,
      isGone: false,
    };
    attempts.set(attemptId, fresh);
    return fresh;
  };

  const end = (attempt: Attempt): void => {
    attempt.isOver = true;
    attempt.doubt = null;
  };

  const claim = (note: KeptEntry, step: Entry["step"] & { kind: "claimed" }): void => {
    const { supersedes } = step;
    const old = supersedes === null ? null : attemptOf(supersedes, note);
    const own = attemptOf(step.attemptId, note);
    const isCopy = own.claim !== null && (own.isOver || !own.isReleased);
    if (isCopy) return;
    own.claim = note;
    own.isReleased = false;
    const isLate = old !== null && (hasEnded(old) || (old.claim === null && !mayBeUnread(old.first)));
    const takesOver =
      supersedes !== null &&
      old?.doubt === null &&
      !isLate &&
      note.entry.operation === "CREATE_QUOTE" &&
      !hasOtherContent(supersedes, step.requestHash);
    if (takesOver) end(old);
    if (proven.has(step.attemptId)) {
      // It was concluded, so its claim held: earlier attempts no longer hold the key.
      for (const other of attempts.values())
        if (other !== own && other.claim !== null && other.doubt === null) other.isGone = true;
      holder = own;
    } else if (
      isLate ||
      succeeded.size > 0 ||
      finals.has(note.entry.commandId) ||
      (holder && !hasEnded(holder))
    ) {
      own.isGone = true;
    }
  };

  const conclude = (
    note: KeptEntry,
    { attemptId, outcome, requestHash }: Entry["step"] & { kind: "concluded" },
  ) => {
    const { commandId } = note.entry;
    const own = attemptId === null ? null : attemptOf(attemptId, note);
    if (outcome === "IN_DOUBT") {
      if (own && !hasEnded(own)) own.doubt ??= note;
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
      if (own.doubt === null) own.isReleased = true;
    }
  }

  const isDone = (attempt: Attempt): boolean =>
    attempt.claim === null
      ? !mayBeUnread(attempt.first)
      : attempt.doubt === null && (hasEnded(attempt) || attempt.isGone);
  const all = [...attempts];
  const unfinished = all.filter(([, attempt]) => !isDone(attempt)).map(([, attempt]) => attempt);
  const inDoubt = unfinished.findLast(({ doubt }) => doubt !== null);
  const held = unfinished.find(({ claim: read }) => read !== null);
  const commands = new Set(unfinished.map(({ commandId }) => commandId));
  const standing: KeyState = inDoubt?.doubt
    ? { kind: "doubt", doubt: inDoubt.doubt, claim: inDoubt.claim }
    : held?.claim
      ? { kind: "held", claim: held.claim }
      : { kind: "none" };
  return {
    standing,
    left: notes.filter(({ entry }) => commands.has(entry.commandId)),
    over: all.filter(([, attempt]) => attempt.claim !== null && hasEnded(attempt)).map(([id]) => id),
    finals,
    isSpent: succeeded.size > 0,
  };
};
