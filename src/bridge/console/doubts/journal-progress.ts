import type { Ranges } from "../../../kafka/consume/tail.ts";
import type { Mark } from "../../../kafka/mark.ts";
import { backwardChunks } from "./backward-chunks.ts";
import { doubtFold } from "./doubt-fold.ts";

/** What was read of a journal: its fold, the chunks that are left, and the places that were reached. */
export const startProgress = (ranges: Ranges) => ({
  fold: doubtFold(),
  ranges,
  chunks: backwardChunks(ranges),
  places: new Map<number, { next: number; last: Mark | null }>(
    [...ranges].map(([partition, { endOffset }]) => [partition, { next: endOffset, last: null }]),
  ),
  /** The time of the oldest record that was read, by partition. */
  oldestMs: new Map<number, number>(),
  read: 0,
  unreadable: 0,
  isComplete: false,
  over: new AbortController(),
});
export type JournalProgress = ReturnType<typeof startProgress>;

/** Since when everything was read; null where nothing was. */
export const knownSinceMs = (
  { chunks, oldestMs, isComplete }: JournalProgress,
  nowMs: number,
): number | null => {
  const times = [...oldestMs];
  if (isComplete) return times.reduce((ms, [, oldest]) => Math.min(ms, oldest), nowMs);
  const unread = new Set(chunks.unread());
  const borders = times.filter(([partition]) => unread.has(partition)).map(([, ms]) => ms);
  return borders.length === 0 ? null : Math.max(...borders);
};
