import type {
  Claimed,
  CommandJournalEntry,
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

export type JournalStep =
  | ({ kind: "claimed" } & Claimed)
  | ({ kind: "released" } & Released)
  | ({ kind: "concluded" } & Concluded)
  | ({ kind: "published" } & Published);

export type Entry = { operation: JournalOperation; commandId: string; step: JournalStep };

/** Fields that the fold does not need, by record. A long journal is read in half the time if they are left out. */
export const FIELDS_NOT_FOLDED = {
  Claimed: ["quoteId"],
  Concluded: ["result", "note", "traceparent"],
} as const satisfies { Claimed: readonly (keyof Claimed)[]; Concluded: readonly (keyof Concluded)[] };

type Folded<S> = S extends JournalStep
  ? Omit<S, (typeof FIELDS_NOT_FOLDED)[keyof typeof FIELDS_NOT_FOLDED][number]>
  : never;
export type FoldedEntry = Omit<Entry, "step"> & { step: Folded<JournalStep> };

/** Identifies a command in the journal: the same commandId under another key or operation is another command. */
export type Ref = { operation: JournalOperation; key: string; commandId: string };

/** A record of the journal as read. `entry` is null if this build cannot decode or fold it. */
export type JournalRecord = RecordPosition & { timestampMs: number; key: string; entry: FoldedEntry | null };

const BRANCHES = {
  claimed: "cambio.bridge.v1.Claimed",
  released: "cambio.bridge.v1.Released",
  concluded: "cambio.bridge.v1.Concluded",
  published: "cambio.bridge.v1.Published",
} as const satisfies Record<JournalStep["kind"], string>;
const KINDS = new Map(Object.entries(BRANCHES).map(([kind, branch]) => [branch as string, kind]));

export const toRecord = ({ operation, commandId, step }: Entry): CommandJournalEntry => ({
  version: JOURNAL_VERSION,
  operation,
  commandId,
  // The casts here and below are safe: a step's kind is that of its branch.
  step: { [BRANCHES[step.kind]]: step } as unknown as CommandJournalEntry["step"],
});

/** Returns null if this build cannot fold it, or if it is an accept that an older version kept under another key. */
export const readJournalRecord = (
  { version, operation, commandId, step }: CommandJournalEntry,
  { key, ageMs }: { key: string; ageMs: number },
): Entry | null => {
  if (version < OLDEST_VERSION || version > JOURNAL_VERSION) return null;
  const isUnderOldKey = version < JOURNAL_VERSION && operation === "ACCEPT_QUOTE" && quoteKey(key) !== key;
  if (isUnderOldKey && ageMs < OTHER_KEY_MATTERS_MS) return null;
  for (const [branch, fields] of Object.entries<object>(step)) {
    const kind = KINDS.get(branch);
    if (kind !== undefined) return { operation, commandId, step: { kind, ...fields } as JournalStep };
  }
  return null;
};
