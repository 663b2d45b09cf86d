import { messageOf } from "../../runtime/errors.ts";
import { yieldToEventLoop } from "../../runtime/event-loop.ts";
import type { Mark } from "../mark.ts";
import type { Incoming } from "../record.ts";
import type { BatchPosition } from "./reader-hooks.ts";
import { startReader, type ReaderDeps } from "./reader.ts";
import type { Range } from "./tail.ts";

export type ScanOptions = { topic: string; groupId: string; sessionTimeoutMs: number };

/**
 * Takes one record. The records of a partition come in order; the next one comes when the promise is
 * fulfilled. An error ends the scan.
 */
export type TakeRecord = (record: Incoming) => void | Promise<void>;

type Deps = ReaderDeps & {
  /** The offsets to read, by partition. */
  ranges: () => Promise<ReadonlyMap<number, Range>>;
};

type PartitionProgress = {
  next: number;
  end: number;
  /** The last record that was taken. */
  last: Mark | null;
  /**
   * Whether a batch came since the last seek: only the first one after a seek must be checked against `last`.
   */
  isSettled: boolean;
};

/**
 * A fetch is decoded synchronously: with six partitions of small events this blocks the event loop for about
 * 20 ms.
 */
const MAX_BYTES_PER_PARTITION = 65_536;
const STALLED_MS = 60_000;
/**
 * After a pause without fetches the log is checked again: only a failed fetch shows that a topic was deleted.
 */
const RECHECK_AFTER_MS = 100;
const WATCH_MS = 1_000;

const ALL_READ = "all was read";

/** The last record is read again, to check that the log is still the same. */
const readFrom = ({ last, next }: PartitionProgress): number => last?.offset ?? next;
const isDone = ({ next, end }: PartitionProgress): boolean => next >= end;

/**
 * Reads ranges of a topic once and ends. Takes each record exactly once, whatever happens to brokers and the
 * group meanwhile. Rejects when a log was replaced, when nothing comes for a minute, when `take` throws, and
 * when `signal` aborts. Then some records may have been taken: to get all, scan again from the beginning.
 * Yields to the event loop after each batch.
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

  /** Its reason is the first cause. */
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

  /** Why a batch does not continue the partition; null when it does. */
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
      // Advanced first: a reader that is replaced during `take` must continue after this record.
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
      // The fetch may have failed because the topic was deleted.
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
