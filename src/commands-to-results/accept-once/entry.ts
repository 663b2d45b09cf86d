import type {
  Claimed,
  CommandJournalEntry,
  CommandResult,
  Concluded,
  JournalOperation,
  Published,
  Released,
} from "../../records.ts";
import { quoteKey } from "../quote-key.ts";
import type { RecordPosition } from "../../runtime/record-position.ts";

/**
 * The rules of this build's fold. Raised when an entry must be folded in a way that older builds do not know.
 * Version 3: an accept is kept under `quoteKey`. Version 2 knew fewer spellings of a quoteId, version 1 hardly any.
 */
export const JOURNAL_VERSION = 3;
const OLDEST_VERSION = 1;
/** A quote lives for one business day: an older accept under another key cannot be sent again. */
const OTHER_KEY_MATTERS_MS = 86_400_000;

type StepOf<Claim, Conclusion> =
  | ({ kind: "claimed" } & Claim)
  | ({ kind: "released" } & Released)
  | ({ kind: "concluded" } & Conclusion)
  | ({ kind: "published" } & Published);

export type Step = StepOf<Claimed, Concluded>;

export type EntryOf<Claim, Conclusion> = {
  operation: JournalOperation;
  commandId: string;
  step: StepOf<Claim, Conclusion>;
};

/** One entry of the journal. */
export type Entry = EntryOf<Claimed, Concluded>;

/** Fields that the fold does not need, by record. A long journal is read in half the time without them. */
export const UNFOLDED = {
  Claimed: ["quoteId"],
  Concluded: ["result", "note", "traceparent"],
} as const satisfies { Claimed: readonly (keyof Claimed)[]; Concluded: readonly (keyof Concluded)[] };

type FoldedClaim = Omit<Claimed, (typeof UNFOLDED)["Claimed"][number]>;
type FoldedConclusion = Omit<Concluded, (typeof UNFOLDED)["Concluded"][number]>;

/** An entry without the fields that the fold does not need. */
export type FoldedEntry = EntryOf<FoldedClaim, FoldedConclusion>;

/** The Avro record of an entry, whole or without those fields. */
export type RecordOf<Claim, Conclusion> = Omit<CommandJournalEntry, "step"> & {
  step:
    | { "cambio.bridge.v1.Claimed": Claim }
    | { "cambio.bridge.v1.Released": Released }
    | { "cambio.bridge.v1.Concluded": Conclusion }
    | { "cambio.bridge.v1.Published": Published };
};
export type FoldedRecord = RecordOf<FoldedClaim, FoldedConclusion>;

/** Identifies a command in the journal: the same commandId under another key or operation is another command. */
export type Ref = { operation: JournalOperation; key: string; commandId: string };

/** That the final result of a command is in the results topic. */
export const publishedEntry = ({ operation, commandId }: Ref, resultId: string): Entry => ({
  operation,
  commandId,
  step: { kind: "published", resultId },
});

/** What a Concluded says besides the facts of its result. `result`: its encoding. */
export type Conclusion = Omit<Concluded, "outcome" | "resultId">;

/** That a command ended with this result. */
export const concludedEntry = (
  { operation, commandId }: Ref,
  { outcome, resultId }: CommandResult,
  conclusion: Conclusion,
): Entry => ({ operation, commandId, step: { kind: "concluded", ...conclusion, outcome, resultId } });

/**
 * A record of the journal as read. `entry` is null if it could not be decoded, or has a version that this build does
 * not know.
 */
export type JournalRecord = RecordPosition & { timestampMs: number; key: string; entry: FoldedEntry | null };

const wrapped = (step: Step): CommandJournalEntry["step"] => {
  switch (step.kind) {
    case "claimed":
      return { "cambio.bridge.v1.Claimed": step };
    case "released":
      return { "cambio.bridge.v1.Released": step };
    case "concluded":
      return { "cambio.bridge.v1.Concluded": step };
    case "published":
      return { "cambio.bridge.v1.Published": step };
  }
};

const unwrapped = <Claim extends object, Conclusion extends object>(
  step: RecordOf<Claim, Conclusion>["step"],
): StepOf<Claim, Conclusion> | null => {
  if ("cambio.bridge.v1.Claimed" in step) return { kind: "claimed", ...step["cambio.bridge.v1.Claimed"] };
  if ("cambio.bridge.v1.Released" in step) return { kind: "released", ...step["cambio.bridge.v1.Released"] };
  if ("cambio.bridge.v1.Concluded" in step)
    return { kind: "concluded", ...step["cambio.bridge.v1.Concluded"] };
  if ("cambio.bridge.v1.Published" in step)
    return { kind: "published", ...step["cambio.bridge.v1.Published"] };
  return null;
};

/** The Avro record of an entry. */
export const toRecord = ({ operation, commandId, step }: Entry): CommandJournalEntry => ({
  version: JOURNAL_VERSION,
  operation,
  commandId,
  step: wrapped(step),
});

/**
 * The entry of an Avro record. Null if this build cannot fold it: its version is unknown, or it is an accept that an
 * older version kept under another key, where it would not be found.
 * @param place.ageMs since the entry was appended
 */
export const fromRecord = <Claim extends object, Conclusion extends object>(
  { version, operation, commandId, step }: RecordOf<Claim, Conclusion>,
  { key, ageMs }: { key: string; ageMs: number },
): EntryOf<Claim, Conclusion> | null => {
  if (version < OLDEST_VERSION || version > JOURNAL_VERSION) return null;
  const isElsewhere = version < JOURNAL_VERSION && operation === "ACCEPT_QUOTE" && quoteKey(key) !== key;
  if (isElsewhere && ageMs < OTHER_KEY_MATTERS_MS) return null;
  const known = unwrapped(step);
  return known && { operation, commandId, step: known };
};
