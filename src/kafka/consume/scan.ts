import { messageOf } from "../../runtime/errors.ts";
import { yieldToEventLoop } from "../../runtime/event-loop.ts";
import type { Mark } from "../mark.ts";
import type { Incoming } from "../record.ts";
import type { BatchPosition } from "./reader-hooks.ts";
import { startReader, type GroupOptions, type ReaderDeps } from "./reader.ts";
import type { Ranges } from "./tail.ts";

/**
 * Takes one record. The records of a partition come in order; the next one comes when the promise is
 * fulfilled. An error ends the scan.
 */
export type TakeRecord = (record: Incoming) => void | Promise<void>;

/** `ranges`: the offsets to read, by partition. */
type ScanOptions = GroupOptions & { ranges: Ranges };

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
  { ranges, ...group }: ScanOptions,
  take: TakeRecord,
  deps: ReaderDeps,
  signal: AbortSignal,
): Promise<void> => {
  signal.throwIfAborted();
  const { topic } = group;
  const { clock } = deps;
  const progressByPartition = new Map<number, PartitionProgress>();
  for (const [partition, { startOffset, endOffset }] of ranges)
    progressByPartition.set(partition, { next: startOffset, end: endOffset, last: null, isSettled: false });

  /** Its reason is the first cause. */
  const ended = new AbortController();
  const fail = (error: Error): void => ended.abort(error);
  let taking = 0;
  const endIfDone = (): void => {
    if (taking === 0 && [...progressByPartition.values()].every(isDone)) ended.abort(ALL_READ);
  };
  const hasEnded = (): boolean => ended.signal.aborted;
  endIfDone();
  if (hasEnded()) return;
  let progressAt = clock.monotonic();

  /** Why a batch does not continue the partition; null when it does. */
  const discontinuity = (
    progress: PartitionProgress,
    from: number,
    first: Incoming | undefined,
  ): string | null => {
    const expected = progress.isSettled ? progress.next : readFrom(progress);
    if (from !== expected) return `reading continued at ${from} instead of ${expected}`;
    if (progress.isSettled || progress.last === null) return null;
    const isSame = first?.offset === progress.last.offset && first.timestampMs === progress.last.timestampMs;
    return isSame ? null : `another record is at ${expected} now`;
  };

  const takeAll = async (
    progress: PartitionProgress,
    records: readonly Incoming[],
    { next, isCurrent }: BatchPosition,
  ) => {
    for (const record of records) {
      if (record.offset < progress.next) continue;
      if (record.offset >= progress.end) break;
      // Advanced first: a reader that is replaced during `take` must continue after this record.
      progress.next = record.offset + 1;
      progress.last = record;
      const taken = take(record);
      if (taken === undefined) continue;
      await taken;
      if (hasEnded() || !isCurrent()) return;
    }
    progress.next = Math.max(progress.next, next);
  };

  const readOn = (partition: number, progress: PartitionProgress): void => {
    progress.isSettled = false;
    reader.resume(partition, readFrom(progress));
  };

  const read = async (
    partition: number,
    records: readonly Incoming[],
    position: BatchPosition,
  ): Promise<void> => {
    const progress = progressByPartition.get(partition);
    if (!progress || isDone(progress) || hasEnded()) return;
    const problem = discontinuity(progress, position.from, records[0]);
    if (problem !== null) {
      fail(new Error(`${topic}[${partition}] is another log than before: ${problem}`));
      return;
    }
    progress.isSettled = true;
    progressAt = clock.monotonic();
    taking += 1;
    try {
      await takeAll(progress, records, position);
    } catch (error) {
      fail(error instanceof Error ? error : new Error(messageOf(error)));
    }
    taking -= 1;
    if (isDone(progress)) reader.pause(partition);
    else if (position.isCurrent() && clock.monotonic() - progressAt > RECHECK_AFTER_MS)
      readOn(partition, progress);
    endIfDone();
    await yieldToEventLoop();
  };

  const reader = startReader(
    { ...group, maxBytesPerPartition: MAX_BYTES_PER_PARTITION },
    {
      assigned: (partitions) => {
        const positions = new Map<number, number>();
        for (const partition of partitions) {
          const progress = progressByPartition.get(partition);
          if (!progress || isDone(progress)) reader.pause(partition);
          else {
            progress.isSettled = false;
            positions.set(partition, readFrom(progress));
          }
        }
        return positions;
      },
      read,
      // The fetch may have failed because the topic was deleted.
      fetchesAgain: () => {
        for (const [partition, progress] of progressByPartition)
          if (!isDone(progress)) readOn(partition, progress);
      },
    },
    deps,
  );
  const onAbort = (): void => fail(signal.reason as Error);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    while (!hasEnded()) {
      await clock.sleep(WATCH_MS, ended.signal).catch(() => undefined);
      if (clock.monotonic() - progressAt > STALLED_MS)
        fail(
          new Error(`nothing more of ${topic} came for ${STALLED_MS / 1_000} s: ${reader.state().detail}`),
        );
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    await reader.stop();
  }
  if (ended.signal.reason !== ALL_READ) throw ended.signal.reason;
};
