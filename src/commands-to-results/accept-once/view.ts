import type { RecordPosition } from "../../runtime/record-position.ts";
import type { JournalRecord, Ref } from "./entry.ts";
import { contentWord, fingerprint, type Fingerprint } from "./fingerprint.ts";
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
import { wakeOrAbort } from "../../runtime/abort.ts";

/** `gap`: records are missing before it, so the state is discarded. `halted`: this build cannot fold it or another. */
type Taken = "folded" | "old" | "gap" | "halted";

/** What waits until the view is ready, beside what waits for a key. */
const READY = Symbol("ready");

const isReady = ({ next, target }: PartitionView): boolean => next !== null && next >= target;

/** @param options.contradicted called for each contradiction, each time that it is read */
export const createView = ({
  partitions,
  partitionOf,
  contradicted = () => undefined,
}: {
  partitions: number;
  partitionOf: (key: string) => number;
  contradicted?: ((contradiction: Contradicted) => void) | undefined;
}) => {
  const parts = Array.from({ length: partitions }, (_, partition) =>
    createPartitionView(partition, 0, contradicted),
  );

  /** By key: an entry wakes those who wait for the other operation, too, and they look again. */
  const waiting = new Map<string | typeof READY, Set<() => void>>();
  const wake = (key: string | typeof READY): void => {
    const wakes = waiting.get(key);
    waiting.delete(key);
    wakes?.forEach((each) => each());
  };
  const wait = (key: string | typeof READY, signal: AbortSignal): Promise<void> =>
    wakeOrAbort(signal, (waker) => {
      const wakes = waiting.get(key) ?? new Set();
      waiting.set(key, wakes.add(waker));
      return () => {
        wakes.delete(waker);
        if (wakes.size === 0 && waiting.get(key) === wakes) waiting.delete(key);
      };
    });

  const part = (partition: number): PartitionView => {
    const existing = parts[partition];
    if (!existing) throw new RangeError(`the journal has no partition ${partition}`);
    return existing;
  };
  const partOf = (ref: Ref): PartitionView => part(partitionOf(ref.key));
  let last: { ref: Ref; print: Fingerprint } | null = null;
  /** A command is looked up several times in one step: its digests are made once. */
  const printOf = (ref: Ref): Fingerprint => {
    if (last?.ref !== ref) last = { ref, print: fingerprint(ref) };
    return last.print;
  };
  const knownElsewhere = (ref: Ref, what: "entry" | "final"): boolean => {
    const print = printOf(ref);
    return parts.some(({ memory }) => memory.knowsElsewhere(print, what));
  };
  const unpublished = (): Unpublished[] => parts.flatMap((own) => [...own.unpublished.values()]);
  const opens = (): Open[] =>
    parts.flatMap(({ opensOf }) => Object.values(opensOf).flatMap((each) => [...each.values()]));
  const held = (): Held[] => opens().filter(({ sinceMs }) => sinceMs === null);
  let trusted = true;
  let isHalted = false;
  const ready = (): boolean => trusted && !isHalted && parts.every(isReady);
  const announce = (): void => {
    if (ready()) wake(READY);
  };

  const discard = (partition: number): PartitionView => {
    const { next, target } = part(partition);
    return (parts[partition] = createPartitionView(partition, Math.max(next ?? 0, target), contradicted));
  };

  return {
    /** Takes a record. Every record goes through here, in the order of the log. */
    take: (record: JournalRecord): Taken => {
      const own = part(record.partition);
      if (isHalted) return "halted";
      if (own.next !== null && record.offset < own.next) return "old";
      if (record.offset !== own.next) {
        discard(record.partition);
        return "gap";
      }
      if (!record.entry) {
        isHalted = true;
        return "halted";
      }
      own.fold(record, record.entry);
      own.next += 1;
      wake(record.key);
      if (own.next === own.target) announce();
      return "folded";
    },

    /** No record stands at the offsets from `from` to before `to`. */
    pass: (partition: number, from: number, to: number): void => {
      const own = part(partition);
      if (own.next === null || own.next < from || own.next >= to) return;
      own.next = to;
      announce();
    },

    /** The view is ready at the range's end. A tail's records of its former position are refused meanwhile. */
    begin: (partition: number, range: { startOffset: number; endOffset: number }): void => {
      const own = discard(partition);
      own.next = range.startOffset;
      own.target = Math.max(own.target, range.endOffset);
      for (const key of [...waiting.keys()]) wake(key);
      announce();
    },

    /** Whether the log is still the one that was read. The view is not ready while this is false. */
    trust: (isSameLog: boolean): void => {
      trusted = isSameLog;
      announce();
    },

    nextOffset: (partition: number): number | null => part(partition).next,

    /** Whether all partitions are read up to their end at `begin`. Until then no command is taken and no call made. */
    ready,
    untilReady: async (signal: AbortSignal): Promise<void> => {
      while (!ready()) await wait(READY, signal);
    },
    /** How many offsets are not read yet; null where reading has not begun. */
    left: (): number | null => {
      const begun = parts.flatMap(({ next, target }) => (next === null ? [] : Math.max(0, target - next)));
      return begun.length < parts.length ? null : begun.reduce((sum, left) => sum + left, 0);
    },
    unread: (): number[] => parts.flatMap((own, partition) => (isReady(own) ? [] : [partition])),
    halted: (): boolean => isHalted,

    past: async (ref: Ref, { partition, offset }: RecordPosition, signal: AbortSignal): Promise<void> => {
      while ((part(partition).next ?? 0) <= offset) await wait(ref.key, signal);
    },

    changed: (ref: Ref, signal: AbortSignal): Promise<void> => wait(ref.key, signal),

    /** @param requestHash the content of the command; null where only its key and commandId count */
    look: (ref: Ref, requestHash: string | null = null): Look => {
      const partition = partitionOf(ref.key);
      const { opensOf, memory } = part(partition);
      const open = opensOf[ref.operation].get(ref.key);
      if (open?.claim.commandId === ref.commandId) {
        const { claim, position, sinceMs } = open;
        if (requestHash !== null && requestHash !== claim.requestHash) return { kind: "otherContent" };
        return sinceMs === null ? { kind: "held", claim } : { kind: "doubt", claim, position };
      }
      const { final, spent, content } = memory.look(printOf(ref));
      if (requestHash !== null && content !== null && content !== contentWord(requestHash))
        return { kind: "otherContent" };
      if (final) return { kind: "concluded", position: { partition, offset: final.offset } };
      const isNamedElsewhere = content === null && knownElsewhere(ref, "entry");
      return { kind: "free", isTaken: open !== undefined || spent, isNamedElsewhere };
    },
    /**
     * Whether a final of the commandId under another key `waits` or `stands`. An accept's claim there `waits` for its own
     * final; a create's may have come late, when nobody executes it any more. If two finals wait, the smaller goes first.
     */
    finalElsewhere: (ref: Ref): "none" | "waits" | "stands" => {
      const isRival = (one: Ref): boolean => one.commandId === ref.commandId && one.key !== ref.key;
      if (held().some(({ ref: one }) => one.operation === "ACCEPT_QUOTE" && isRival(one))) return "waits";
      const rivals = unpublished().filter(({ ref: one }) => isRival(one));
      if (rivals.length === 0) return knownElsewhere(ref, "final") ? "stands" : "none";
      return rivals.some(({ ref: { key } }) => key < ref.key) ? "waits" : "none";
    },
    /** Whether this attempt may make its call: it holds the key, and no accept of it is known to have been executed. */
    holds: (ref: Ref, attemptId: string): boolean => {
      const own = partOf(ref);
      const open = own.opensOf[ref.operation].get(ref.key);
      if (!trusted || isHalted || !isReady(own) || open?.claim.attemptId !== attemptId) return false;
      return open.sinceMs === null && !own.memory.look(open.print).spent;
    },
    isUnpublished: (ref: Ref): boolean => partOf(ref).unpublished.has(commandName(ref)),
    unpublished,
    held,
    doubts: (): JournalDoubt[] =>
      opens().flatMap(({ sinceMs, ...held }) => (sinceMs === null ? [] : [{ ...held, sinceMs }])),
    forgetBefore: ({ partition, offset }: RecordPosition): void => part(partition).forgetBefore(offset),
    count: () =>
      parts.map(({ opensOf, memory }) => {
        const open = Object.values(opensOf).reduce((sum, { size }) => sum + size, 0);
        return { open, commands: memory.count };
      }),
  };
};

export type View = ReturnType<typeof createView>;
