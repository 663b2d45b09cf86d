import { foldInto, settle, type Open } from "./journal-fold.ts";
import type { Noted, Readable } from "./key-history.ts";
import { createSettled } from "./settled.ts";

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
 * Doubts and open claims of a journal that is followed at its end and read backwards from there, stretch by stretch. Keeps the entries of commands
 * with an attempt that is not over, and those of attempts whose claims were not read yet. Before the last stretch it says of each key what the
 * entries that were read say; then the whole journal's word.
 */
export const doubtFold = () => {
  const opens = new Map<string, Open>();
  let isComplete = false;
  let began: ReadonlyMap<number, number> = new Map();
  const mayBeUnread = (partition: number, { timestampMs }: Noted): boolean =>
    !isComplete || timestampMs < (began.get(partition) ?? Number.NEGATIVE_INFINITY) + CLAIM_MAY_BE_GONE_MS;
  const newest = { opens, settled: createSettled(), mayBeUnread, isWanted: () => false };

  return {
    /** Takes the record that follows on all others of its partition. Gives the note that is kept of it. */
    take: foldInto(newest),

    /** @param isNewest the one in front of the records that are followed */
    stretch: (isNewest: boolean): Stretch => {
      const own = new Map<string, Open>();
      const settled = createSettled();
      return {
        take: foldInto({ opens: own, settled, mayBeUnread, isWanted: (name) => opens.has(name) }),
        merge: () => {
          for (const [name, open] of own) {
            const newer = opens.get(name)?.notes ?? [];
            settle(newest, name, { ...open, notes: [...open.notes, ...newer] });
          }
          if (isNewest) for (const name of settled.names()) newest.settled.add(name);
        },
      };
    },

    /**
     * Nothing older will come: ends without their claims say nothing any more.
     * @param beganMs when the log of a partition began whose beginning is gone: the claim of a doubt soon after that may have stood before it
     */
    complete: (beganMs: ReadonlyMap<number, number>): void => {
      [isComplete, began] = [true, beganMs];
      for (const [name, open] of opens) settle(newest, name, open);
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
