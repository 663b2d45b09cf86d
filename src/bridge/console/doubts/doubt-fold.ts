import { foldInto, settle, type OpenKey } from "./journal-fold.ts";
import type { KeptEntry, ReadableRecord } from "./key-history.ts";
import { createSettled } from "./settled.ts";

/** A key in doubt. */
export type InDoubt = OpenKey & { standing: OpenKey["standing"] & { kind: "doubt" } };

/** The fold of one chunk of the journal, read forwards; all of it is older than what was read before. */
export type ChunkFold = {
  take: (record: ReadableRecord) => KeptEntry | null;
  /** To be called when the whole chunk was taken. */
  merge: () => void;
};

/** After it a command is too old to be executed, so its claim cannot be older than its doubt by more. */
const CLAIM_MAY_BE_GONE_MS = 86_400_000;

const isInDoubt = (open: OpenKey): open is InDoubt => open.standing.kind === "doubt";

const lastOffset = ({ entries, standing }: OpenKey): number => {
  const last = standing.kind === "doubt" ? standing.doubt : entries.at(-1);
  return last?.offset ?? 0;
};

/**
 * Folds the journal into doubts and open claims, while it is followed at its end and read backwards from there
 * in chunks. Keeps the entries of commands with an unfinished attempt, and of attempts whose claims were not
 * read yet. Until the last chunk is read, each key's state follows from the entries read so far.
 */
export const doubtFold = () => {
  const opens = new Map<string, OpenKey>();
  let isComplete = false;
  let began: ReadonlyMap<number, number> = new Map();
  const mayBeUnread = (partition: number, { timestampMs }: KeptEntry): boolean =>
    !isComplete || timestampMs < (began.get(partition) ?? Number.NEGATIVE_INFINITY) + CLAIM_MAY_BE_GONE_MS;
  const newest = { opens, settled: createSettled(), mayBeUnread, isWanted: () => false };

  return {
    /** Takes the next record at the journal's end. Returns what is kept of it; null for nothing. */
    take: foldInto(newest),

    /** @param isNewest whether it is the chunk right before the followed end */
    chunk: (isNewest: boolean): ChunkFold => {
      const own = new Map<string, OpenKey>();
      const settled = createSettled();
      return {
        take: foldInto({ opens: own, settled, mayBeUnread, isWanted: (name) => opens.has(name) }),
        merge: () => {
          for (const [name, open] of own) {
            const newer = opens.get(name)?.entries ?? [];
            settle(newest, name, { ...open, entries: [...open.entries, ...newer] });
          }
          if (isNewest) for (const name of settled.names()) newest.settled.add(name);
        },
      };
    },

    /**
     * The whole journal was read: conclusions without a claim count no longer.
     * @param beganMs the time of the oldest record, for partitions whose beginning was deleted: the claim of a doubt soon after it may be gone
     */
    complete: (beganMs: ReadonlyMap<number, number>): void => {
      [isComplete, began] = [true, beganMs];
      for (const [name, open] of opens) settle(newest, name, open);
    },

    /** Forgets what retention deleted. @param starts the first offset of each partition */
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
