import type {
  Claimed,
  CommandJournalEntry,
  Concluded,
  JournalOperation,
  Published,
  Released,
} from "../../records.ts";
import { quoteKey } from "../quote-key.ts";

/**
 * The rules of this build's fold. Raised when an entry must be folded in a way that older builds do not know.
 * Version 2: an accept is kept under `quoteKey`. Version 1 kept it under the quoteId as sent, of which only UUIDs were put into lower case.
 */
export const JOURNAL_VERSION = 2;
const OLDEST_VERSION = 1;
/** A quote lives for one business day: an older accept under another key cannot be sent again. */
const OTHER_KEY_MATTERS_MS = 86_400_000;

export type Step =
  | ({ kind: "claimed" } & Claimed)
  | ({ kind: "released" } & Released)
  | ({ kind: "concluded" } & Concluded)
  | ({ kind: "published" } & Published);

/** One entry of the journal, in the shape that the fold works on. */
export type Entry = { operation: JournalOperation; commandId: string; step: Step };

/** A command's place in the journal: the same commandId under another key or operation is another place. */
export type Ref = { operation: JournalOperation; key: string; commandId: string };

/** Where a record stands in the journal. */
export type Position = { partition: number; offset: number };

/** A record of the journal as read. `entry` is null when it could not be decoded or is of a version that this build does not know. */
export type JournalRecord = Position & { timestampMs: number; key: string; entry: Entry | null };

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

const unwrapped = (step: CommandJournalEntry["step"]): Step | null => {
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
 * The entry of an Avro record; null when this build cannot fold it: it is of rules that this build does not know, or of an accept that older
 * rules kept under another key than these, so that it would not be found there.
 * @param place.ageMs since the entry was appended
 */
export const fromRecord = (
  { version, operation, commandId, step }: CommandJournalEntry,
  { key, ageMs }: { key: string; ageMs: number },
): Entry | null => {
  if (version < OLDEST_VERSION || version > JOURNAL_VERSION) return null;
  const isElsewhere = version === 1 && operation === "ACCEPT_QUOTE" && quoteKey(key) !== key;
  if (isElsewhere && ageMs < OTHER_KEY_MATTERS_MS) return null;
  const known = unwrapped(step);
  return known && { operation, commandId, step: known };
};
