import { messageOf } from "../../runtime/errors.ts";
import { yieldToEventLoop } from "../../runtime/event-loop.ts";
import type { Mark } from "../mark.ts";
import type { Incoming } from "../record.ts";
import type { BatchPosition } from "./reader-hooks.ts";
import { startReader, type ReaderDeps } from "./reader.ts";
import type { Range } from "./tail.ts";

export type ScanOptions = { topic: string; groupId: string; sessionTimeoutMs: number };

/** Takes one record; a partition's records come in order, and nothing more is read before a promise is fulfilled. What it throws ends the scan. */
export type TakeRecord = (record: Incoming) => void | Promise<void>;

type Deps = ReaderDeps & {
  /** What is to be read: from where, and the ends that stand now. */
  ranges: () => Promise<ReadonlyMap<number, Range>>;
};

type PartitionProgress = {
  next: number;
  end: number;
  /** The last record that was taken. */
  last: Mark | null;
  /** Whether anything came since reading began here: from then on each stretch follows on the last. */
  isSettled: boolean;
};

/** A fetch is decoded in one go: with six partitions of small events this keeps the process from other things for about 20 ms. */
const MAX_BYTES_PER_PARTITION = 65_536;
const STALLED_MS = 60_000;
/** While no fetch is under way, a topic that is deleted and created again is not noticed by its absence. */
const RECHECK_AFTER_MS = 100;
const WATCH_MS = 1_000;

const ALL_READ = "all was read";

/** The last record is read once more, to see that the log is still the same one. */
const readFrom = ({ last, next }: PartitionProgress): number => last?.offset ?? next;
const isDone = ({ next, end }: PartitionProgress): boolean => next >= end;

/**
 * Reads given ranges of a topic once, each record exactly once whatever happens to brokers and the group meanwhile, and ends. Rejects when the
 * log is no longer the one that it was, when nothing more comes for a minute, when `take` throws, and when `signal` aborts: then part of the
 * records may have been taken, and whoever wants all begins anew. Between two stretches of a partition the process gets to do other things.
 */
export const scan = async (
  options: ScanOptions,
  take: TakeRecord,
  deps: Deps,
  signal: AbortSignal,
): Promise<void> => {
  const { topic } = options;
  const { clock } = deps;
  const ranges = await clock.withDeadline(STALLED_MS, signal, () => deps.ranges());
  const places = new Map<number, PartitionProgress>();
  for (const [partition, { startOffset, endOffset }] of ranges)
    places.set(partition, { next: startOffset, end: endOffset, last: null, isSettled: false });

  /** The first reason counts. */
  const over = new AbortController();
  const fail = (error: Error): void => over.abort(error);
  let taking = 0;
  const endIfDone = (): void => {
    if (taking === 0 && [...places.values()].every(isDone)) over.abort(ALL_READ);
  };
  const isOver = (): boolean => over.signal.aborted;
  endIfDone();
  if (isOver()) return;
  let progressAt = clock.monotonic();

  /** Null when this stretch is what was to be read next. */
  const discontinuity = (
    place: PartitionProgress,
    from: number,
    first: Incoming | undefined,
  ): string | null => {
    const expected = place.isSettled ? place.next : readFrom(place);
    if (from !== expected) return `reading went on at ${from} instead of ${expected}`;
    if (place.isSettled || place.last === null) return null;
    const isSame = first?.offset === place.last.offset && first.timestampMs === place.last.timestampMs;
    return isSame ? null : `another record stands at ${expected} than did before`;
  };

  const takeAll = async (
    place: PartitionProgress,
    records: readonly Incoming[],
    { next, isCurrent }: BatchPosition,
  ) => {
    for (const record of records) {
      if (record.offset < place.next) continue;
      if (record.offset >= place.end) break;
      // Before it is taken: whoever reads on meanwhile, after a fault, goes on behind it.
      place.next = record.offset + 1;
      place.last = record;
      const taken = take(record);
      if (taken === undefined) continue;
      await taken;
      if (isOver() || !isCurrent()) return;
    }
    place.next = Math.max(place.next, next);
  };

  const readOn = (partition: number, place: PartitionProgress): void => {
    place.isSettled = false;
    reader.resume(partition, readFrom(place));
  };

  const read = async (
    partition: number,
    records: readonly Incoming[],
    stretch: BatchPosition,
  ): Promise<void> => {
    const place = places.get(partition);
    if (!place || isDone(place) || isOver()) return;
    const problem = discontinuity(place, stretch.from, records[0]);
    if (problem !== null) {
      fail(new Error(`${topic}[${partition}] is not the log that it was: ${problem}`));
      return;
    }
    place.isSettled = true;
    progressAt = clock.monotonic();
    taking += 1;
    try {
      await takeAll(place, records, stretch);
    } catch (error) {
      fail(error instanceof Error ? error : new Error(messageOf(error)));
    }
    taking -= 1;
    if (isDone(place)) reader.pause(partition);
    else if (stretch.isCurrent() && clock.monotonic() - progressAt > RECHECK_AFTER_MS)
      readOn(partition, place);
    endIfDone();
    await yieldToEventLoop();
  };

  const reader = startReader(
    { ...options, maxBytesPerPartition: MAX_BYTES_PER_PARTITION },
    {
      assigned: (partitions) => {
        const positions = new Map<number, number>();
        for (const partition of partitions) {
          const place = places.get(partition);
          if (!place || isDone(place)) reader.pause(partition);
          else {
            place.isSettled = false;
            positions.set(partition, readFrom(place));
          }
        }
        return positions;
      },
      read,
      // What failed may have been that the topic was away.
      fetchesAgain: () => {
        for (const [partition, place] of places) if (!isDone(place)) readOn(partition, place);
      },
    },
    deps,
  );
  const onAbort = (): void => fail(signal.reason as Error);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    while (!isOver()) {
      await clock.sleep(WATCH_MS, over.signal).catch(() => undefined);
      if (clock.monotonic() - progressAt > STALLED_MS)
        fail(
          new Error(`nothing more of ${topic} came for ${STALLED_MS / 1_000} s: ${reader.state().detail}`),
        );
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    await reader.stop();
  }
  if (over.signal.reason !== ALL_READ) throw over.signal.reason;
};
