import type { RecordPosition } from "../../runtime/record-position.ts";
import type { JournalRecord, Ref } from "./entry.ts";
import { contentWord, fingerprint, keyName, type Fingerprint } from "./fingerprint.ts";
import {
  commandName,
  createPartitionView,
  type Contradicted,
  type JournalDoubt,
  type Held,
  type Look,
  type Open,
  type PartitionView,
  type Unpublished,
} from "./partition-view.ts";
import { createWaiters, type Waiters } from "./waiters.ts";

/**
 * What the view did with a record. `folded`: it was the next one; `old`: it was folded before; `gap`: records are
 * missing before it, so the partition's state is discarded until `begin`; `halted`: this build cannot fold it, or one
 * before it, and the view stays unready.
 */
type Taken = "folded" | "old" | "gap" | "halted";

type Part = {
  view: PartitionView;
  /** Offset of the next record; null until the partition is begun. */
  next: number | null;
  /** The view is ready from this offset on: the log's end at `begin`, or where the view was before. */
  target: number;
  halted: boolean;
  waiters: Waiters<number>;
};

const isReady = ({ next, target, halted }: Part): boolean => !halted && next !== null && next >= target;

/**
 * The journal as this replica has read it.
 * @param options.partitions how many partitions the journal has; never changed while replicas run
 * @param options.partitionOf the partition that a record with this key is appended to
 * @param options.contradicted called for each contradiction, each time that it is read
 */
export const createView = ({
  partitions,
  partitionOf,
  contradicted = () => undefined,
}: {
  partitions: number;
  partitionOf: (key: string) => number;
  contradicted?: (contradiction: Contradicted) => void;
}) => {
  const fresh = (partition: number, target: number, waiters: Waiters<number>): Part => ({
    view: createPartitionView(partition, contradicted),
    next: null,
    target,
    halted: false,
    waiters,
  });
  const parts = Array.from({ length: partitions }, (_, i) => fresh(i, 0, createWaiters<number>()));
  const keys = createWaiters<string>();
  const readiness = createWaiters<"ready">();

  const part = (partition: number): Part => {
    const existing = parts[partition];
    if (!existing) throw new RangeError(`the journal has no partition ${partition}`);
    return existing;
  };
  const partOf = (ref: Ref): Part => part(partitionOf(ref.key));
  let last: { ref: Ref; print: Fingerprint } | null = null;
  /** A command is looked up several times in one step: its digests are made once. */
  const printOf = (ref: Ref): Fingerprint => {
    if (last?.ref !== ref) last = { ref, print: fingerprint(ref) };
    return last.print;
  };
  /** The open key of a command; null if no command, or another one, has the key open. */
  const openOf = (ref: Ref): Open | null => {
    const open = partOf(ref).view.opens.get(keyName(ref));
    return open?.claim.commandId === ref.commandId ? open : null;
  };
  const knownElsewhere = (ref: Ref, what: "entry" | "final"): boolean => {
    const print = printOf(ref);
    return parts.some(({ view }) => view.memory.knowsElsewhere(print, what));
  };
  const unpublished = (): Unpublished[] => parts.flatMap(({ view }) => [...view.unpublished.values()]);
  const opens = (): Open[] => parts.flatMap(({ view }) => [...view.opens.values()]);
  let trusted = true;
  const ready = (): boolean => trusted && parts.every(isReady);
  const announce = (): void => {
    if (ready()) readiness.wake("ready");
  };

  const discard = (partition: number): Part => {
    const { next, target, waiters } = part(partition);
    return (parts[partition] = fresh(partition, Math.max(next ?? 0, target), waiters));
  };

  return {
    /** Takes the next record of a partition. Every record goes through here, in the order of the log. */
    take: (record: JournalRecord): Taken => {
      const own = part(record.partition);
      if (own.halted) return "halted";
      if (own.next !== null && record.offset < own.next) return "old";
      if (record.offset !== own.next) {
        discard(record.partition);
        return "gap";
      }
      if (!record.entry) {
        own.halted = true;
        return "halted";
      }
      own.view.fold(record, record.entry);
      own.next += 1;
      own.waiters.wake(record.offset);
      keys.wake(keyName({ operation: record.entry.operation, key: record.key }));
      if (own.next === own.target) announce();
      return "folded";
    },

    /** No record stands at the offsets from `from` to before `to`. */
    pass: (partition: number, from: number, to: number): void => {
      const own = part(partition);
      if (own.halted || own.next === null || own.next < from || own.next >= to) return;
      own.next = to;
      announce();
    },

    /**
     * A partition is about to be read from the start of the log; the view is ready at its end. Until then its records
     * are refused: a tail may still deliver records of its former position.
     */
    begin: (partition: number, range: { startOffset: number; endOffset: number }): void => {
      const own = discard(partition);
      own.next = range.startOffset;
      own.target = Math.max(own.target, range.endOffset);
      own.waiters.wakeIf((offset) => offset < range.startOffset);
      announce();
    },

    /** Whether the log is still the one that was read. The view is not ready while this is false. */
    trust: (yes: boolean): void => {
      trusted = yes;
      announce();
    },

    /** The next offset of a partition; null if it needs `begin`. */
    nextOffset: (partition: number): number | null => part(partition).next,

    /** Whether all partitions are read up to their end at `begin`. Without, no command is taken and no call made. */
    ready,
    untilReady: (signal: AbortSignal): Promise<void> =>
      ready() ? Promise.resolve() : readiness.wait("ready", signal),
    /** How many offsets are not read yet; null where reading has not begun. */
    left: (): number | null =>
      parts.some(({ next }) => next === null)
        ? null
        : parts.reduce((sum, { next, target }) => sum + Math.max(0, target - (next ?? 0)), 0),
    /** The partitions that are not read up to their end at `begin`. */
    unread: (): number[] => parts.flatMap((own, partition) => (isReady(own) ? [] : [partition])),
    halted: (): boolean => parts.some(({ halted }) => halted),

    /** Resolves when the record at this position is folded. */
    past: ({ partition, offset }: RecordPosition, signal: AbortSignal): Promise<void> => {
      const own = part(partition);
      return own.next !== null && own.next > offset ? Promise.resolve() : own.waiters.wait(offset, signal);
    },

    /** Resolves when the next record of this key is folded. */
    changed: (ref: Ref, signal: AbortSignal): Promise<void> => keys.wait(keyName(ref), signal),

    look: (ref: Ref): Look => {
      const partition = partitionOf(ref.key);
      const { opens: openKeys, memory } = part(partition).view;
      const open = openKeys.get(keyName(ref));
      if (open?.claim.commandId === ref.commandId) {
        const { claim, position, sinceMs } = open;
        return sinceMs === null ? { kind: "held", claim } : { kind: "doubt", claim, position };
      }
      const { final, spent } = memory.look(printOf(ref));
      if (!final) return { kind: "free", isTaken: open !== undefined || spent };
      return { kind: "concluded", position: { partition, offset: final.offset } };
    },
    /** Whether the command's first entry has other content: then the commandId belongs to that one. */
    hasOtherContent: (ref: Ref, requestHash: string): boolean => {
      const { content: first } = partOf(ref).view.memory.look(printOf(ref));
      return first !== null && first !== contentWord(requestHash);
    },
    /** Whether the commandId was used under another key and not under this one: it belongs to that other command. */
    isNamedElsewhere: (ref: Ref): boolean => {
      const isNamedHere = partOf(ref).view.memory.look(printOf(ref)).content !== null;
      return !isNamedHere && knownElsewhere(ref, "entry");
    },
    /**
     * Whether the commandId has its final result under another key: one that `stands`, or that `waits` to be published
     * first. If two wait, the one with the smaller key is published first.
     */
    finalElsewhere: (ref: Ref): "none" | "waits" | "stands" => {
      const rivals = unpublished().filter(
        ({ ref: { key, commandId } }) => commandId === ref.commandId && key !== ref.key,
      );
      if (rivals.length === 0) return knownElsewhere(ref, "final") ? "stands" : "none";
      return rivals.some(({ ref: { key } }) => key < ref.key) ? "waits" : "none";
    },
    /** Whether this attempt may make its call: it holds the key, and no accept of it is known to have been executed. */
    holds: (ref: Ref, attemptId: string): boolean => {
      const own = partOf(ref);
      const open = openOf(ref);
      if (!trusted || !isReady(own) || open?.claim.attemptId !== attemptId) return false;
      return open.sinceMs === null && !own.view.memory.look(open.print).spent;
    },
    isUnpublished: (ref: Ref): boolean => partOf(ref).view.unpublished.has(commandName(ref)),
    unpublished,
    held: (): Held[] => opens().filter(({ sinceMs }) => sinceMs === null),
    doubts: (): JournalDoubt[] =>
      opens().flatMap(({ sinceMs, ...held }) => (sinceMs === null ? [] : [{ ...held, sinceMs }])),
    /** Forgets what stands before this position, the first one that the log still holds. */
    forgetBefore: ({ partition, offset }: RecordPosition): void => part(partition).view.forgetBefore(offset),
    count: () => parts.map(({ view }) => ({ open: view.opens.size, commands: view.memory.count })),
  };
};

export type View = ReturnType<typeof createView>;
