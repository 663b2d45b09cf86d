import { stretchesOf, type Ranges } from "./backward-chunks.ts";
import type { Mark } from "../../../kafka/mark.ts";
import { doubtFold } from "./doubt-fold.ts";

/** What is known of a journal, from when it was first looked at. */
export const newKnowledge = (ranges: Ranges) => ({
  fold: doubtFold(),
  ranges,
  stretches: stretchesOf(ranges),
  places: new Map<number, { next: number; last: Mark | null }>(
    [...ranges].map(([partition, { endOffset }]) => [partition, { next: endOffset, last: null }]),
  ),
  /** The time of the oldest record that was read. */
  oldestMs: new Map<number, number>(),
  read: 0,
  unreadable: 0,
  isComplete: false,
  over: new AbortController(),
});
export type Knowledge = ReturnType<typeof newKnowledge>;

/** From which time on all is known; null where nothing is. */
export const knownSinceMs = (
  { stretches, oldestMs, isComplete }: Knowledge,
  nowMs: number,
): number | null => {
  const times = [...oldestMs];
  if (isComplete) return times.reduce((ms, [, oldest]) => Math.min(ms, oldest), nowMs);
  const unread = new Set(stretches.unread());
  const borders = times.filter(([partition]) => unread.has(partition)).map(([, ms]) => ms);
  return borders.length === 0 ? null : Math.max(...borders);
};
