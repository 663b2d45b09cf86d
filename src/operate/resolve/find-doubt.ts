import { positionText, type RecordPosition } from "../../runtime/record-position.ts";
import type { JournalRecord, Ref } from "../../commands-to-results/accept-once/entry.ts";
import { quoteKey } from "../../commands-to-results/quote-key.ts";
import { keyName } from "../../commands-to-results/accept-once/fingerprint.ts";
import type { Look } from "../../commands-to-results/accept-once/partition-view.ts";

/** Finds the journal keys of a command by its commandId. Must be given every record that the view takes. */
export const createCommandFinder = (commandId: string) => {
  const refs = new Map<string, Ref>();
  const times = new Map<string, number>();
  const firstTimes = new Map<string, number>();
  return {
    take: (record: JournalRecord): void => {
      const { key, entry, timestampMs } = record;
      if (entry?.commandId !== commandId) return;
      const ref = { operation: entry.operation, key, commandId };
      refs.set(keyName(ref), ref);
      times.set(positionText(record), timestampMs);
      // A claim or a conclusion names a command; a probe or a late release does not.
      if ("requestHash" in entry.step && !firstTimes.has(keyName(ref)))
        firstTimes.set(keyName(ref), timestampMs);
    },
    refs: (): Ref[] => [...refs.values()],
    /** The commands that the commandId named, under other keys, before it named this one. */
    olderElsewhere: (ref: Ref): Ref[] => {
      const firstMsOf = (one: Ref): number => firstTimes.get(keyName(one)) ?? Infinity;
      return [...refs.values()].filter((one) => firstMsOf(one) < firstMsOf(ref));
    },
    /** LogAppendTime (epoch milliseconds) of an entry of this command; null for any other position. */
    timeOf: (position: RecordPosition): number | null => times.get(positionText(position)) ?? null,
  };
};

/** None of several doubts may be chosen: a decision about one quote must not end the doubt of another. */
export const chooseDoubts = (
  refs: readonly Ref[],
  look: (ref: Ref) => Look,
  quoteId: string | null,
): readonly Ref[] => {
  const isMeant = ({ operation, key }: Ref): boolean =>
    quoteId === null || (operation === "ACCEPT_QUOTE" && quoteKey(key) === quoteKey(quoteId));
  const candidates = refs.filter(isMeant);
  const withLook = (kind: Look["kind"]): Ref[] => candidates.filter((ref) => look(ref).kind === kind);
  const doubts = withLook("doubt");
  if (doubts.length > 0) return doubts;
  return [...withLook("held"), ...withLook("concluded"), ...candidates].slice(0, 1);
};
