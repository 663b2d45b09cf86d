import type { JournalRecord, Position, Ref } from "./entry.ts";
import { keyName } from "./fingerprint.ts";
import type { Look } from "./partition-view.ts";

const placeName = ({ partition, offset }: Position): string => `${partition}/${offset}`;

/** Finds where a command stands in the journal, of which only the commandId is known. Takes every record that the view takes. */
export const createFinder = (commandId: string) => {
  const found = new Map<string, Ref>();
  const times = new Map<string, number>();
  return {
    take: (record: JournalRecord): void => {
      const { key, entry, timestampMs } = record;
      if (entry?.commandId !== commandId) return;
      const ref = { operation: entry.operation, key, commandId };
      found.set(keyName(ref), ref);
      times.set(placeName(record), timestampMs);
    },
    refs: (): Ref[] => [...found.values()],
    /** LogAppendTime of an entry of this command; null for any other. */
    timeOf: (position: Position): number | null => times.get(placeName(position)) ?? null,
  };
};

export type Chosen =
  | { kind: "found"; ref: Ref }
  | { kind: "several"; /** All of them in doubt. */ refs: Ref[] }
  | { kind: "unknown" };

/**
 * Which of a command's places an operator means: the one that is in doubt. The wrong one of two would be ended with a word on another quote.
 * @param isQuote whether the journal's key of an accept is that of the quote which is meant; null where only the command was named
 */
export const choose = (
  refs: readonly Ref[],
  look: (ref: Ref) => Look,
  isQuote: ((key: string) => boolean) | null,
): Chosen => {
  const meant =
    isQuote === null
      ? refs
      : refs.filter(({ operation, key }) => operation === "ACCEPT_QUOTE" && isQuote(key));
  const those = (kind: Look["kind"]): Ref[] => meant.filter((ref) => look(ref).kind === kind);
  const doubts = those("doubt");
  if (doubts.length > 1) return { kind: "several", refs: doubts };
  const ref = doubts[0] ?? those("held")[0] ?? meant[0];
  return ref ? { kind: "found", ref } : { kind: "unknown" };
};
