import { fingerprint } from "../../../commands-to-results/journal-rules/fingerprint.ts";
import { createClosed, type Closed, type Readable } from "./closed.ts";
import { foldInto, remember, type Open } from "./journal-fold.ts";
import { historyOf, withoutUnclaimed, type Noted } from "./key-history.ts";

/** A key that is in doubt. */
export type InDoubt = Open & { standing: Open["standing"] & { kind: "doubt" } };

/** Entries that are read in one go, the oldest first, all older than those that were read before. */
export type Stretch = {
  take: (record: Readable) => Noted | null;
  /** All of it was taken. */
  merge: () => void;
};

/** A command that nobody could take over for so long is too old to be executed. */
const CLAIM_MAY_BE_GONE_MS = 86_400_000;

const isInDoubt = (open: Open): open is InDoubt => open.standing.kind === "doubt";

const lastOffset = ({ notes, standing }: Open): number => {
  const last = standing.kind === "doubt" ? standing.doubt : notes.at(-1);
  return last?.offset ?? 0;
};

/**
 * Doubts and open claims of a journal that is followed at its end and read backwards from there, stretch by stretch. Keeps the keys that are open,
 * and ends whose claims were not read yet. Before the last stretch it says of each key what the entries that were read say; then the whole
 * journal's word.
 * @param rememberedRecords of each partition: a claim for a quote that was used before those is counted as open
 */
export const doubtFold = (rememberedRecords: number) => {
  const opens = new Map<string, Open>();
  const closed = createClosed();
  /** The first offset whose entry is remembered where it was closed. */
  const rememberedFrom = new Map<number, number>();
  let isComplete = false;
  const mayBeOlder = (): boolean => !isComplete;
  const takeNewest = foldInto(opens, closed, { isWanted: () => false, mayBeOlder });

  const settle = (name: string, open: Open): void => {
    const { standing, isWhole, finals } = historyOf(open.notes, open);
    if (standing.kind === "none" && (isWhole || !mayBeOlder())) {
      opens.delete(name);
      remember(closed, open, new Map(finals.map((each) => [each.commandId, each.succeeded])));
    } else opens.set(name, { ...open, standing });
  };

  /** What was closed right before the records that are followed counts for these, too. */
  const putBefore = (older: Closed, merged: ReadonlyMap<string, Open>): void => {
    closed.follows(older);
    for (const [name, { standing, ...place }] of opens) {
      if (merged.has(name) || standing.kind !== "held" || !standing.claim) continue;
      const { commandId } = standing.claim.entry;
      if (closed.refuses(place.partition, fingerprint({ ...place, commandId }))) opens.delete(name);
    }
  };

  const forgetClosed = (partition: number, offset: number): void => {
    const from = rememberedFrom.get(partition) ?? offset - rememberedRecords;
    rememberedFrom.set(partition, from);
    if (offset - from < 2 * rememberedRecords) return;
    closed.forgetBefore(partition, offset - rememberedRecords);
    rememberedFrom.set(partition, offset - rememberedRecords);
  };

  return {
    /** Takes the record that follows on all others of its partition. Gives the note that is kept of it. */
    take: (record: Readable): Noted | null => {
      forgetClosed(record.partition, record.offset);
      return takeNewest(record);
    },

    /** @param isNewest the one in front of the records that are followed */
    stretch: (isNewest: boolean): Stretch => {
      const own = new Map<string, Open>();
      const isWanted = (name: string): boolean => opens.has(name);
      const closedHere = createClosed();
      const take = foldInto(own, closedHere, { isWanted, mayBeOlder });
      return {
        take,
        merge: () => {
          for (const [name, open] of own) {
            const newer = opens.get(name);
            if (newer) settle(name, { ...open, notes: [...open.notes, ...newer.notes] });
            else if (open.standing.kind !== "none") opens.set(name, open);
            else settle(name, open);
          }
          if (isNewest) putBefore(closedHere, own);
        },
      };
    },

    /**
     * Nothing older will come: ends without their claims say nothing any more.
     * @param beganMs when the log of a partition began whose beginning is gone: the claim of a doubt soon after that may have stood before it
     */
    complete: (beganMs: ReadonlyMap<number, number>): void => {
      isComplete = true;
      for (const [name, open] of opens) {
        const { standing, partition } = open;
        const since = (beganMs.get(partition) ?? Number.NEGATIVE_INFINITY) + CLAIM_MAY_BE_GONE_MS;
        const isCut = standing.kind === "doubt" && !standing.claim && standing.doubt.timestampMs < since;
        if (!isCut) settle(name, { ...open, notes: withoutUnclaimed(open.notes) });
      }
    },

    /** Forgets what the log does not hold any more. @param starts the first offset of each partition */
    forgetBefore: (starts: ReadonlyMap<number, number>): boolean => {
      const before = opens.size;
      for (const [name, open] of opens)
        if (lastOffset(open) < (starts.get(open.partition) ?? 0)) opens.delete(name);
      return opens.size < before;
    },

    doubts: (): InDoubt[] => [...opens.values()].filter(isInDoubt),
    held: (): number => {
      let count = 0;
      for (const { standing } of opens.values()) if (standing.kind === "held") count += 1;
      return count;
    },
  };
};
