import { messageOf } from "../../runtime/errors.ts";
import { yieldToEventLoop } from "../../runtime/event-loop.ts";
import { startReader, type Reader, type ReaderDeps, type ReaderOptions } from "./reader.ts";
import type { Incoming } from "../record.ts";

/** The offsets that a partition holds: the first one to read, and the one after the last. */
export type Range = { startOffset: number; endOffset: number };
/** By partition. */
export type Ranges = ReadonlyMap<number, Range>;

export type TailHooks = {
  /** Reading starts over at the start of these ranges: forget everything that was read before. */
  begin: (ranges: Ranges) => void;
  /** The next offset of the partition; null if its position is lost, and reading must start over. */
  position: (partition: number) => number | null;
  /**
   * False if this record does not follow the last one: reading starts over. `later` if it cannot be taken yet: its partition
   * is read again from its position after a while.
   */
  take: (record: Incoming) => boolean | "later";
  /** From `from` to before `next` the log has no record: a transaction's marker, or what compaction has left. */
  absent?: (partition: number, from: number, next: number) => void;
  /** Everything before this offset was read, including offsets without a record. */
  reached?: (partition: number, next: number) => void;
};

type Options = Omit<ReaderOptions, "maxBytesPerPartition">;

export type Tail = Pick<Reader, "state" | "focus"> & {
  /** Starts reading over. */
  restart: () => void;
  stop: () => Promise<void>;
};

type Deps = ReaderDeps & { ranges: () => Promise<Ranges> };

const AGAIN_AFTER_MS = 1_000;
const LATER = { baseMs: 100, maxMs: 30_000 };
/** A fetch is decoded without a pause, and blocks the event loop meanwhile. A long log is read for minutes. */
const MAX_BYTES_PER_PARTITION = 524_288;

/**
 * Follows all partitions of a topic from the start of given ranges, and commits nothing. kafkajs forgets its position at each rebalance,
 * and silently starts over if an offset is gone. So the tail keeps its own positions, and starts over if a record is out of order.
 */
export const startTail = (options: Options, hooks: TailHooks, deps: Deps): Tail => {
  const { clock, log } = deps;
  const stopped = new AbortController();
  let state: ReturnType<Reader["state"]> = { up: false, detail: "not started yet" };
  let current: Reader | null = null;
  let restart = (): void => undefined;

  const followOnce = async (): Promise<void> => {
    const ranges = await deps.ranges();
    hooks.begin(ranges);
    const lost = new AbortController();
    restart = () => lost.abort();
    /** How often in a row the next record of a partition could not be taken yet. */
    const tries = new Map<number, number>();
    const readLater = async (partition: number): Promise<void> => {
      const before = tries.get(partition) ?? 0;
      tries.set(partition, before + 1);
      reader.pause(partition);
      await clock.sleep(Math.min(LATER.baseMs * 2 ** before, LATER.maxMs), lost.signal);
      const position = hooks.position(partition);
      if (position !== null) reader.resume(partition, position);
    };
    const reader = startReader(
      { ...options, maxBytesPerPartition: MAX_BYTES_PER_PARTITION },
      {
        assigned: (partitions) => {
          const positions = new Map<number, number>();
          for (const partition of partitions) {
            const position = hooks.position(partition);
            if (position === null) lost.abort();
            else positions.set(partition, position);
          }
          return positions;
        },
        read: async (partition, records, { from, next, isCurrent }) => {
          // Lets the event loop run between two fetches.
          await yieldToEventLoop();
          if (lost.signal.aborted || !isCurrent()) return;
          let at = from;
          for (const record of records) {
            const { offset } = record;
            if (offset > at) hooks.absent?.(partition, at, offset);
            at = offset + 1;
            const taken = hooks.take(record);
            if (taken === "later") {
              void readLater(partition).catch(() => undefined);
              return;
            }
            tries.delete(partition);
            if (taken) continue;
            log.warn({ topic: options.topic, partition, offset }, "kafka.tail.gap");
            lost.abort();
            return;
          }
          if (next > at) hooks.absent?.(partition, at, next);
          hooks.reached?.(partition, next);
        },
      },
      deps,
    );
    current = reader;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        stopped.signal.removeEventListener("abort", end);
        resolve();
      };
      for (const { signal } of [lost, stopped]) signal.addEventListener("abort", end, { once: true });
      if (stopped.signal.aborted) end();
    });
    current = null;
    await reader.stop();
  };

  const follow = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      try {
        await followOnce();
      } catch (error) {
        state = { up: false, detail: messageOf(error) };
        await clock.sleep(AGAIN_AFTER_MS, stopped.signal).catch(() => undefined);
      }
    }
  };
  const following = follow();

  return {
    state: () => current?.state() ?? state,
    focus: (positions) => current?.focus(positions),
    restart: () => restart(),
    stop: async () => {
      stopped.abort();
      await following;
    },
  };
};
